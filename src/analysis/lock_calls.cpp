#include "analysis/lock_calls.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle {

LockUse lock_use(const Function& function) {
  if (!function.isDeclaration() && !function.getName().starts_with("rte_")) return LockUse::None;
  return StringSwitch<LockUse>(function.getName())
      .Cases("pthread_mutex_lock", "pthread_spin_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
             LockUse::Takes)
      .Cases("rte_spinlock_lock", "rte_rwlock_read_lock", "rte_rwlock_write_lock", LockUse::Takes)
      .Cases("rcu_read_lock_memb", "rcu_memb_read_lock", "urcu_memb_read_lock", "rcu_mb_read_lock",
             "urcu_mb_read_lock", "rcu_bp_read_lock", "urcu_bp_read_lock", LockUse::Takes)
      .Cases("pthread_mutex_unlock", "pthread_spin_unlock", "pthread_rwlock_unlock", LockUse::Releases)
      .Cases("rte_spinlock_unlock", "rte_rwlock_read_unlock", "rte_rwlock_write_unlock", LockUse::Releases)
      .Cases("rcu_read_unlock_memb", "rcu_memb_read_unlock", "urcu_memb_read_unlock", "rcu_mb_read_unlock",
             "urcu_mb_read_unlock", "rcu_bp_read_unlock", "urcu_bp_read_unlock", LockUse::Releases)
      .Default(LockUse::None);
}

} // namespace heddle
