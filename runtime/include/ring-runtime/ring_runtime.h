/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime for C. Every function that can fail returns 0 on success and 1 on
 * failure, and then ring_error() of the handle it was given says why.
 */
#ifndef RING_RUNTIME_C_H
#define RING_RUNTIME_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program with its bound inputs, options and last results. One handle is used
 * by one thread at a time; any number of handles may be in use. */
typedef struct ring_session ring_session;

/* Element types, in the numbering of the program file. */
enum {
  RING_F32,
  RING_BF16,
  RING_BFP8_B,
  RING_BFP4_B,
  RING_I32,
  RING_U32,
  RING_U16,
  RING_U8,
  RING_I64,
  RING_BOOL
};

/* The version of the runtime, such as "1.2.3". */
const char *ring_version(void);

/* The end of a message about a name that nobody knows: "; did you mean
 * 'ring'?", or "" if none of the known names, with spaces between, is near. It
 * lives until the same thread asks again. */
const char *ring_did_you_mean(const char *name, const char *known);

ring_session *ring_create(void);
void ring_destroy(ring_session *session);
/* A new handle with the program and the options of another, without its inputs
 * and results: two handles of one program may run at the same time. */
ring_session *ring_share(const ring_session *session);

/* Why the last call on this handle failed; "" if it did not. */
const char *ring_error(const ring_session *session);

int ring_load(ring_session *session, const void *data, size_t size);
int ring_load_file(ring_session *session, const char *path);

/* The loaded program. Names and shapes live as long as it does. */
int64_t ring_device_count(const ring_session *session);
size_t ring_input_count(const ring_session *session);
size_t ring_output_count(const ring_session *session);
const char *ring_input_name(const ring_session *session, size_t input);
const char *ring_output_name(const ring_session *session, size_t output);
/* How many tensors a port has: 1, or one per device. */
size_t ring_input_tensors(const ring_session *session, size_t input);
size_t ring_output_tensors(const ring_session *session, size_t output);
int ring_input_type(const ring_session *session, size_t input);
int ring_output_type(const ring_session *session, size_t output);
size_t ring_input_shape(const ring_session *session, size_t input,
                        const int64_t **shape);
size_t ring_output_shape(const ring_session *session, size_t output,
                         const int64_t **shape);

/* Copies an input in: elements in row-major order; the block formats in tiles,
 * as devices pack them. */
int ring_bind(ring_session *session, size_t input, size_t tensor,
              const void *data, size_t size);
/* Takes an input where it lies, without a copy. The memory is only read, and
 * has to stay as it is until the handle is destroyed or loaded anew, or the
 * input is bound again. Results may be parts of it. */
int ring_bind_shared(ring_session *session, size_t input, size_t tensor,
                     const void *data, size_t size);
/* Rounds so many numbers to the type of an input, the block formats among
 * them, as every other rounding of the runtime does. */
int ring_bind_numbers(ring_session *session, size_t input, size_t tensor,
                      const float *numbers, size_t count);
/* Fills all inputs from a seed. */
int ring_generate(ring_session *session, uint64_t seed);
/* Where a bound or generated input lies, and its bytes; NULL if there is none.
 */
const void *ring_input_data(const ring_session *session, size_t input,
                            size_t tensor, size_t *size);
/* Copies an input out as numbers. */
int ring_input_numbers(ring_session *session, size_t input, size_t tensor,
                       float *numbers, size_t count);

int ring_set_backend(ring_session *session, const char *name);
/* For the backend "sim": a built-in machine, or the path of a machine file. A
 * simulation takes no inputs and has no outputs; ring_seconds is predicted. */
void ring_set_machine(ring_session *session, const char *machine);
void ring_set_device_memory(ring_session *session, int64_t bytes);
void ring_set_threads(ring_session *session, int threads);
/* Whether to record what ran when, for ring_report. */
void ring_set_trace(ring_session *session, int trace);

int ring_run(ring_session *session);
/* What a device's memory did not suffice for, if that is why the last run
 * failed, such as "value %3 tensor<4xf32>"; otherwise NULL. */
const char *ring_memory_shortage(const ring_session *session);
/* Copies an output of the last run out. There is none after one that failed. */
int ring_read(ring_session *session, size_t output, size_t tensor, void *data,
              size_t size);
/* Where an output of the last run lies, and its bytes, until the next run; NULL
 * if there is none. */
const void *ring_output_data(const ring_session *session, size_t output,
                             size_t tensor, size_t *size);
/* Copies an output out as numbers, the block formats among them. */
int ring_read_numbers(ring_session *session, size_t output, size_t tensor,
                      float *numbers, size_t count);
/* Seconds of the last run. */
double ring_seconds(const ring_session *session);

/* What the last run cost on one device. */
typedef struct ring_device_statistics {
  double seconds;      /* from the start of the run to the device's end */
  double busy_seconds; /* of these, running instructions */
  double flops;
  int64_t bytes_sent;
  int64_t bytes_received;
  int64_t peak_bytes;           /* what a device would hold */
  int64_t peak_key_value_bytes; /* of these keys, values, buffers for them */
  int64_t scratch_bytes;        /* of the CPU's kernels, none of a device's */
} ring_device_statistics;
int ring_read_statistics(ring_session *session, int64_t device,
                         ring_device_statistics *statistics);

/* Texts about the last run; NULL where there is none. They live until the next
 * text of this handle is asked for.
 * What it cost, or what is predicted, in words. */
const char *ring_summary(ring_session *session);
/* The same with all devices and kinds of ops, as JSON (docs/Runtime.md). */
const char *ring_statistics(ring_session *session);
/* A page of HTML, with what ring_check found. The run has to be traced. */
const char *ring_report(ring_session *session);

/* What is to be said of one output. */
typedef struct ring_judgement {
  int passed;
  int finite; /* NaN and infinities are where the reference has them */
  double relative_error;
  double max_error;
  double rmse;
  double pcc;
  double share_of_bound; /* above 1 a bound is broken */
  const char *fault;     /* "" if it passed; lives until the next run */
} ring_judgement;

/* Judges the last run by what another handle's program, or the same one if that
 * is NULL, gives on the same inputs in double precision. A tolerance above 0
 * takes the place of the bounds. Fails where nothing can be judged. */
int ring_check(ring_session *session, const ring_session *meaning,
               double tolerance);
int ring_read_judgement(ring_session *session, size_t output,
                        ring_judgement *judgement);
/* All judgements, one line for each output. */
const char *ring_check_text(ring_session *session);

#ifdef __cplusplus
}
#endif

#endif /* RING_RUNTIME_C_H */
