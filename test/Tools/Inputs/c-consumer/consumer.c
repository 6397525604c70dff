/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a program, runs it and says what it cost, in C. */

#include "ring-runtime/ring_runtime.h"

#include <stdio.h>

int main(int count, char **arguments) {
  if (count != 2)
    return 2;
  ring_session *session = ring_create();
  ring_device_statistics cost;
  if (ring_load_file(session, arguments[1]) || ring_generate(session, 1) ||
      ring_run(session) || ring_read_statistics(session, 0, &cost)) {
    printf("error: %s\n", ring_error(session));
    ring_destroy(session);
    return 1;
  }
  printf("runtime %s: devices %lld, sent %lld bytes, keys and values %lld "
         "bytes\n",
         ring_version(), (long long)ring_device_count(session),
         (long long)cost.bytes_sent, (long long)cost.peak_key_value_bytes);
  ring_destroy(session);
  return 0;
}
