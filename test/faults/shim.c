/*
 * Preloaded into the server. Counts its durability calls, and kills the process or returns an error at the chosen
 * one, or stops it before each. A mapped file of eight numbers controls it at any time (see control.ts).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct control {
  atomic_int calls;  /* a bit for each kind of call that counts; 0 lets all calls pass */
  atomic_int nth;    /* the call to fail, from 1 */
  atomic_int error;  /* an errno, 0 to kill the process, or -1 to stop it before each call */
  atomic_int sticky; /* 1 when all later calls fail as well */
  atomic_int count;  /* calls seen */
  atomic_int hits;   /* calls failed or held */
  atomic_int lasting; /* milliseconds in which later calls fail; then fsync loses the data that it failed to write */
  atomic_int pid;    /* the process, written at its start */
};

enum { HOLD = -1 };
enum { FSYNC = 1, NAMES = 2, WRITE = 4, FILES = 8, SQLITE = 16, FOLDER = 32 };

static struct control *control;

__attribute__((constructor)) static void map_control(void) {
  const char *path = getenv("FAULT_CONTROL");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return;
  control = mapped;
  atomic_store(&control->pid, getpid());
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns 1 when the call with this number falls into a temporary disturbance. */
static int disturbed(int count) {
  static atomic_long since;
  if (count < control->nth) return 0;
  if (count == control->nth) atomic_store(&since, milliseconds());
  return milliseconds() - atomic_load(&since) <= control->lasting;
}

/* Stops the process, by the calling thread, so that the call comes after SIGCONT. Others take their turn. */
static void hold(int call) {
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&turn);
  if (control->error == HOLD && (control->calls & call)) {
    atomic_fetch_add(&control->hits, 1);
    pthread_kill(pthread_self(), SIGSTOP);
  }
  pthread_mutex_unlock(&turn);
}

/* Returns 1 and sets errno when this call must fail. */
static int fails(int call) {
  if (!control || !(control->calls & call)) return 0;
  if (control->error == HOLD) {
    int error = errno;
    hold(call);
    errno = error;
    return 0;
  }
  int count = atomic_fetch_add(&control->count, 1) + 1;
  if (control->lasting) {
    if (!disturbed(count)) return 0;
  } else if (control->sticky ? count < control->nth : count != control->nth) return 0;
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

/* Files whose fsync failed. Linux marks their dirty pages as clean: a later fsync succeeds and writes nothing. */
enum { MAX_LOST = 256 };
static struct { dev_t device; ino_t inode; } lost[MAX_LOST];
static atomic_int lost_count;

static void lose(int fd) {
  struct stat found;
  int index = control->lasting && fstat(fd, &found) == 0 ? atomic_fetch_add(&lost_count, 1) : MAX_LOST;
  if (index >= MAX_LOST) return;
  lost[index].device = found.st_dev;
  lost[index].inode = found.st_ino;
}

static int is_lost(int fd) {
  int count = atomic_load(&lost_count);
  struct stat found;
  if (count == 0 || fstat(fd, &found) != 0) return 0;
  for (int index = 0; index < count && index < MAX_LOST; index++)
    if (lost[index].device == found.st_dev && lost[index].inode == found.st_ino) return 1;
  return 0;
}

/* Returns the kinds of a sync. Only SQLite's own files have "sqlite" in their names, and only their folder is "db". */
static int kinds_of_sync(int fd) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return FSYNC;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  if (name && strcmp(name, "/db") == 0) return FOLDER;
  return FSYNC | (name && strstr(name, "sqlite") ? SQLITE : FILES);
}

#define WRAP_SYNC(name)                                               \
  int name(int fd) {                                                  \
    static int (*real)(int);                                          \
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, #name);          \
    if (!fails(kinds_of_sync(fd))) return is_lost(fd) ? 0 : real(fd); \
    int error = errno;                                                \
    lose(fd);                                                         \
    errno = error;                                                    \
    return -1;                                                        \
  }

WRAP_SYNC(fsync)
WRAP_SYNC(fdatasync)

/* Counts twice for kills, because the commit that follows in the same time slice reaches the log before its fsync. */
int rename(const char *from, const char *to) {
  static int (*real)(const char *, const char *);
  if (!real) real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  if (fails(NAMES)) return -1;
  int result = real(from, to);
  int error = errno;
  if (control && control->error <= 0) fails(NAMES);
  errno = error;
  return result;
}

WRAP(int, link, NAMES, (const char *from, const char *to), (from, to))
WRAP(int, unlink, NAMES, (const char *path), (path))
WRAP(int, unlinkat, NAMES, (int at, const char *path, int flags), (at, path, flags))
WRAP(int, mkdir, NAMES, (const char *path, mode_t mode), (path, mode))
WRAP(int, rmdir, NAMES, (const char *path), (path))
WRAP(int, ftruncate64, WRITE, (int fd, off_t length), (fd, length))
WRAP(ssize_t, pwrite64, WRITE, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
