#pragma once

#include <libpq-fe.h>
#include <pthread.h>

// libpq defines these as character literals, which Swift does not import.
static const int CLIBPQ_DIAG_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int CLIBPQ_DIAG_SQLSTATE = PG_DIAG_SQLSTATE;
static const int CLIBPQ_DIAG_MESSAGE_PRIMARY = PG_DIAG_MESSAGE_PRIMARY;
static const int CLIBPQ_DIAG_MESSAGE_HINT = PG_DIAG_MESSAGE_HINT;
static const int CLIBPQ_DIAG_CONTEXT = PG_DIAG_CONTEXT;
static const int CLIBPQ_DIAG_STATEMENT_POSITION = PG_DIAG_STATEMENT_POSITION;
static const int CLIBPQ_DIAG_CONSTRAINT_NAME = PG_DIAG_CONSTRAINT_NAME;
static const int CLIBPQ_DIAG_SOURCE_FUNCTION = PG_DIAG_SOURCE_FUNCTION;

// Declared here because glibc declares it only with _GNU_SOURCE.
extern int pthread_setname_np(pthread_t thread, const char *name);

/// Names the calling thread, as seen in /proc and in debuggers; at most 15 bytes.
static inline void clibpq_name_current_thread(const char *name) {
    (void)pthread_setname_np(pthread_self(), name);
}
