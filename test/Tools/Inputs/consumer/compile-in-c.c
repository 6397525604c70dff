/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a module, runs and checks it, in C. */

#include "ring-c/ring_compiler.h"

#include <stdio.h>

static char text[1 << 16];

int main(int count, char **arguments) {
  FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof(text), file), bytes = 0;
  fclose(file);

  ring_compiler *compiler = ring_compiler_create();
  ring_session *meaning = ring_create(), *session = ring_create();
  const void *program = NULL;
  int code = ring_compiler_read(compiler, text, size, arguments[1]);
  if (!code)
    code = !(program = ring_compiler_program(compiler, "", &bytes)) ||
           ring_load(meaning, program, bytes);
  if (!code)
    code =
        ring_compiler_run(compiler, "ring-attention-pipeline{strategy=ring}");
  if (!code)
    code = !(program = ring_compiler_program(compiler, "", &bytes)) ||
           ring_load(session, program, bytes);
  if (!code)
    code = ring_generate(session, 1) || ring_run(session) ||
           ring_check(session, meaning, 0);
  if (code)
    printf("error: %s%s\n", ring_compiler_error(compiler), ring_error(session));
  else
    printf("compiled in C, input 0 is %s, %zu messages\n%s",
           ring_compiler_input_name(compiler, "", 0),
           ring_compiler_message_count(compiler), ring_check_text(session));
  ring_destroy(session);
  ring_destroy(meaning);
  ring_compiler_destroy(compiler);
  return code;
}
