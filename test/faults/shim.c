/*
 * Preloaded into the server: counts the calls that make things durable, and at the chosen one kills the
 * process or fails with an error. It is told what to do, at any time, through a file of six numbers that is
 * mapped into memory (see control.ts).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

struct control {
  atomic_int calls;  /* a bit for each kind of call that counts; 0 lets everything pass */
  atomic_int nth;    /* the call to fail, from 1 */
  atomic_int error;  /* an errno, or 0 to kill the process */
  atomic_int sticky; /* whether all later calls fail, too */
  atomic_int count;  /* calls seen */
  atomic_int hits;   /* calls failed */
};

enum { FSYNC = 1, NAMES = 2, WRITE = 4 };

static struct control *control;

__attribute__((constructor)) static void map_control(void) {
  const char *path = getenv("FAULT_CONTROL");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) control = mapped;
}

/* Whether this call is to fail; errno says how. */
static int fails(int call) {
  if (!control || !(control->calls & call)) return 0;
  int count = atomic_fetch_add(&control->count, 1) + 1;
  if (control->sticky ? count < control->nth : count != control->nth) return 0;
  atomic_fetch_add(&control->hits, 1);
  if (control->error == 0) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = control->error;
  return 1;
}

#define WRAP(type, name, call, parameters, arguments)            \
  type name parameters {                                         \
    static type(*real) parameters;                               \
    if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    return fails(call) ? -1 : real arguments;                    \
  }

WRAP(int, fsync, FSYNC, (int fd), (fd))
WRAP(int, fdatasync, FSYNC, (int fd), (fd))
WRAP(int, rename, NAMES, (const char *from, const char *to), (from, to))
WRAP(int, link, NAMES, (const char *from, const char *to), (from, to))
WRAP(int, unlink, NAMES, (const char *path), (path))
WRAP(int, unlinkat, NAMES, (int at, const char *path, int flags), (at, path, flags))
WRAP(int, mkdir, NAMES, (const char *path, mode_t mode), (path, mode))
WRAP(int, rmdir, NAMES, (const char *path), (path))
WRAP(int, ftruncate64, WRITE, (int fd, off_t length), (fd, length))
WRAP(ssize_t, pwrite64, WRITE, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
