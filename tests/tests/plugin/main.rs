//! The plugin library proved on two providers: by the strict host as every kind of host, and by
//! every real terraform and tofu on this machine.

#[cfg(unix)]
mod bad_processes;
mod corner;
mod greeting;
