// Tells ThreadSanitizer about Swift's Mutex.
//
// On Linux, a Mutex that somebody else holds is waited for inside of libswiftSynchronization, which is built without
// ThreadSanitizer. So what one thread writes under the lock, and another reads under it, looks like a race. These three
// functions stand in front of those of the library and say what they do. The quick path is compiled into our own code, and
// is seen without them. Without this file, a loop of 20,000 locked additions gives two false reports; with it, none, and
// an addition without the lock is still reported.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*Lock)(uint32_t, SELF void *);
typedef SWIFT bool (*Try)(SELF void *);
typedef SWIFT void (*Unlock)(SELF void *);

SWIFT void adattribution_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void adattribution_lock(uint32_t thread, SELF void *mutex) {
    ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool adattribution_try(SELF void *mutex) __asm__(TRY);
SWIFT bool adattribution_try(SELF void *mutex) {
    bool isLocked = ((Try)dlsym(RTLD_NEXT, TRY))(mutex);
    if (isLocked) __tsan_acquire(mutex);
    return isLocked;
}

SWIFT void adattribution_unlock(SELF void *mutex) __asm__(UNLOCK);
SWIFT void adattribution_unlock(SELF void *mutex) {
    __tsan_release(mutex);
    ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
