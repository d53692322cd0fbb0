#include "recorder/agent/base/thread-local.h"

_Thread_local struct pm_thread_local pm_thread_local __attribute__((tls_model("initial-exec")));
