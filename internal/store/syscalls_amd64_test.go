package store

import "golang.org/x/sys/unix"

// The older calls, which newer architectures lack.
func init() {
	operations[unix.SYS_OPEN] = operation{"open", 0, -1, true}
	operations[unix.SYS_UNLINK] = operation{"unlink", 0, -1, false}
	operations[unix.SYS_RENAME] = operation{"rename", 0, -1, false}
	operations[unix.SYS_RMDIR] = operation{"unlink", 0, -1, false}
	operations[unix.SYS_MKDIR] = operation{"mkdir", 0, -1, true}
	operations[unix.SYS_LINK] = operation{"link", 1, -1, true}
	operations[unix.SYS_CHMOD] = operation{"chmod", 0, -1, false}
}
