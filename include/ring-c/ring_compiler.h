/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler for C. A handle holds one module of IR: it is read, passes run
 * over it, and what is left is asked for as text, as a program for the runtime
 * (ring-runtime/ring_runtime.h, which the same library has) or as a host
 * program. Every function that can fail returns 0 on success and 1 on failure,
 * or NULL, and then ring_compiler_error() says why. Nothing is printed.
 */
#ifndef RING_COMPILER_C_H
#define RING_COMPILER_C_H

#include "ring-runtime/ring_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One handle is used by one thread at a time; any number of handles may be in
 * use. */
typedef struct ring_compiler ring_compiler;

ring_compiler *ring_compiler_create(void);
void ring_compiler_destroy(ring_compiler *compiler);

/* Why the last call on this handle failed: the compiler's errors with their
 * places, one behind the other; "" if it did not. */
const char *ring_compiler_error(const ring_compiler *compiler);

/* What the compiler has said so far: errors, warnings and remarks. */
enum { RING_NOTE, RING_WARNING, RING_ERROR, RING_REMARK };
typedef struct ring_message {
  int severity;
  const char *place; /* "model.mlir:4:10", or "" */
  const char *text;  /* with its notes, each in a line of its own */
} ring_message;
size_t ring_compiler_message_count(const ring_compiler *compiler);
/* The texts live as long as the handle. */
int ring_compiler_message(const ring_compiler *compiler, size_t number,
                          ring_message *message);

/* Reads a module, text or bytecode, in place of the last one; `name` is what
 * messages call it. */
int ring_compiler_read(ring_compiler *compiler, const char *text, size_t size,
                       const char *name);
/* Replaces the mesh that the module names by one such as "2x4". */
int ring_compiler_set_mesh(ring_compiler *compiler, const char *mesh);
/* Fails where the module has no function of that name, or, if it is "", not
 * exactly one that is public. */
int ring_compiler_find_function(ring_compiler *compiler, const char *function);
/* What the source calls an argument of a function, such as "q" for %q; NULL if
 * it has no name there. A function whose name is "" is the only public one. */
const char *ring_compiler_input_name(ring_compiler *compiler,
                                     const char *function, size_t input);

/* The names of the options of ring-attention-pipeline, with spaces between. */
const char *ring_pipeline_options(void);
/* Runs passes, as ring-opt's --pass-pipeline has them within builtin.module:
 * "ring-attention-pipeline{strategy=ring}". */
int ring_compiler_run(ring_compiler *compiler, const char *passes);

/* The module as text. This and the texts below live until the next of them is
 * asked for. */
const char *ring_compiler_ir(ring_compiler *compiler);
/* The bytes of a program file: a function of the module as it is now, the only
 * public one if its name is "". Asked for before any pass ran, it is the
 * meaning that results are judged by, and its shards stay shards whatever
 * passes leave. Its inputs have the names of the source. */
const void *ring_compiler_program(ring_compiler *compiler, const char *function,
                                  size_t *size);
/* A host program of a module in TTNN, in "python" or "cpp". */
const char *ring_compiler_host_program(ring_compiler *compiler,
                                       const char *language);
/* The attentions that the last passes planned, as JSON (docs/Python.md): for
 * each what the planner chose from, all predicted. */
const char *ring_compiler_plans(ring_compiler *compiler);
/* The page of a traced run, as ring_report gives it, with the planner's
 * candidates for the largest attention of this module. */
const char *ring_compiler_report(ring_compiler *compiler,
                                 const ring_session *session);

#ifdef __cplusplus
}
#endif

#endif /* RING_COMPILER_C_H */
