/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/**
 * DOC: /dev/empN, the calls that programs make of the driver
 *
 * One file is one application. It binds a port first: a number below EMP_IOCTL_PORTS that both
 * sides of a conversation use, and that no other file of the same board has. With the port it gets
 * a fixed share of the board: descriptors and sends at once. Messages of a port reach receives of
 * the same port only.
 *
 * *Protected*, the default: memory is registered, requests are handed to the driver in batches, and
 * the board writes a word for each ended request into pages that the file maps read-only. A program
 * cannot name an address of the bus. poll() reports POLLIN while a request has ended that was not
 * collected, and POLLERR while no firmware runs; the card interrupts only while a program waits so.
 *
 * *Trusted*: a privileged program takes the whole board, maps its registers, and learns addresses.
 * It can then make the board read and write all of the computer's memory.
 *
 * A file belongs to the program that has opened it, and all that the program has of the board ends
 * with the program. A child that it forks has the file, too, but its calls are refused, and it does
 * not inherit what the program has mapped of the file. Pinned pages stay with the program; the
 * child has copies of them, unless they are shared memory.
 *
 * All calls return -1 with errno, and lines of a batch have @error. Each number has one meaning,
 * that of the table in libemp.h: ENODEV when the board has gone or runs no firmware, EINVAL for
 * arguments without meaning and for bytes that are not 0 and should be, EFAULT for memory that the
 * program or the board cannot reach, EACCES in a process that is not the file's, EBUSY for what
 * others use, EPERM without a privilege, ENOMEM when memory is used up, ENOSPC for too many
 * registrations, ERANGE for a parameter's value, E2BIG for more bytes, pages or pieces than a
 * message may have, EMSGSIZE for a message longer than its receive, EIO when the board does not
 * answer or answers nonsense.
 */
#ifndef EMP_IOCTL_H
#define EMP_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define EMP_IOCTL_VERSION 2

/* The upper bits of the tag name the port; programs have the bits below. */
#define EMP_IOCTL_PORT_BITS  4
#define EMP_IOCTL_PORTS	     4
#define EMP_IOCTL_TAG_BITS   (64 - EMP_IOCTL_PORT_BITS)
#define EMP_IOCTL_ANY_SOURCE 0xFFFF

/* Places in the file for mmap. */
#define EMP_IOCTL_MAP_ENDS	0x0000	 /* read-only; after EMP_BIND */
#define EMP_IOCTL_MAP_REGISTERS 0x100000 /* after EMP_TRUST */

/**
 * struct emp_ioctl_information - board and share
 * @version: EMP_IOCTL_VERSION
 * @protocol_hash: of the specification that the driver was made from
 * @node: of the board
 * @starts: times that the driver has started the board's firmware
 * @running: 1 while its firmware runs
 * @bound: 1 after EMP_BIND
 * @port: then, its number
 * @descriptors: of the share; a message takes one to four
 * @sends: of the share, at once; one more is EAGAIN
 * @ends_step: word n of EMP_IOCTL_MAP_ENDS lies at n << @ends_step
 * @tag_bits: that programs have
 * @reserved: 0
 */
struct emp_ioctl_information {
	__u32 version;
	__u32 protocol_hash;
	__u32 node;
	__u32 starts;
	__u32 running;
	__u32 bound;
	__u32 port;
	__u32 descriptors;
	__u32 sends;
	__u32 ends_step;
	__u32 tag_bits;
	__u32 reserved;
};

/**
 * struct emp_ioctl_memory - memory to register, or registered
 * @address: of the first byte; the pages that are mapped there now are pinned, and count for
 *           RLIMIT_MEMLOCK
 * @bytes: length
 * @handle: of the registration; written by EMP_REGISTER, read by EMP_DEREGISTER
 * @reserved: 0
 *
 * After EMP_BIND or EMP_TRUST. A registration keeps its pages, whatever the program maps at the
 * address later; that is registered anew. EMP_REGISTER: EFAULT for memory that cannot be read and
 * written, ENOMEM beyond RLIMIT_MEMLOCK, ENOSPC for more registrations than a file with a port may
 * have. EMP_DEREGISTER: EBUSY while a request uses the memory, or any request uses several
 * registrations. A trusted program is believed that the card has no transfer to the memory.
 */
struct emp_ioctl_memory {
	__u64 address;
	__u64 bytes;
	__u32 handle;
	__u32 reserved;
};

/**
 * struct emp_ioctl_piece - a part of a message's memory
 * @handle: of a registration
 * @length: bytes
 * @offset: in the registration
 */
struct emp_ioctl_piece {
	__u32 handle;
	__u32 length;
	__u64 offset;
};

enum emp_ioctl_kind {
	EMP_IOCTL_SEND = 0,
	EMP_IOCTL_RECEIVE = 1,
	EMP_IOCTL_PEEK = 2,
	EMP_IOCTL_CANCEL = 3,
	EMP_IOCTL_COLLECT = 4,
};

/**
 * struct emp_ioctl_entry - one line of a batch
 * @kind: enum emp_ioctl_kind
 * @request: number of a request: written for SEND, RECEIVE and PEEK, read for CANCEL and COLLECT;
 *           the low 16 bits are the number of its word in EMP_IOCTL_MAP_ENDS
 * @peer: node; EMP_IOCTL_ANY_SOURCE of a RECEIVE or PEEK; written by COLLECT
 * @piece_count: entries at @pieces, at most EMP_IOCTL_PIECE_LIMIT. They may touch 409 pages; those
 *               without bytes are skipped, whatever their handle
 * @pieces: address of an array of struct emp_ioctl_piece
 * @tag: of EMP_IOCTL_TAG_BITS bits; written by COLLECT
 * @ignored: bits of @tag that a RECEIVE or PEEK does not compare
 * @error: written: 0, or a negative errno value, as libemp's calls return it. COLLECT: of the
 *         message; -EAGAIN while the request has not ended. Others: -EAGAIN while the share has no
 *         room, or has been used up beside other applications: try again soon
 * @length: written by COLLECT: bytes of the message
 * @descriptors: written for SEND, RECEIVE and PEEK: how many of the share the request occupies
 *               until it is collected
 * @word: written for SEND, RECEIVE and PEEK: the word in EMP_IOCTL_MAP_ENDS until the request ends.
 *        Another word has ended it: bits as in the layout Descriptor of spec/emp/host.hsm. All
 * ones: the board has gone.
 *
 * A request occupies its descriptors until it has been collected.
 */
struct emp_ioctl_entry {
	__u32 kind;
	__u32 request;
	__u32 peer;
	__u32 piece_count;
	__u64 pieces;
	__u64 tag;
	__u64 ignored;
	__s32 error;
	__u32 length;
	__u32 descriptors;
	__u32 word;
};

#define EMP_IOCTL_BATCH_LIMIT 64
#define EMP_IOCTL_PIECE_LIMIT 4096

/**
 * struct emp_ioctl_batch - many requests with one call
 * @entries: address of an array of struct emp_ioctl_entry
 * @count: of them, at most EMP_IOCTL_BATCH_LIMIT
 * @done: written: entries that were looked at. The first POST or PEEK that fails ends the batch,
 *        because messages keep their order; CANCEL and COLLECT that fail do not
 */
struct emp_ioctl_batch {
	__u64 entries;
	__u32 count;
	__u32 done;
};

/**
 * struct emp_ioctl_start - a start of the board's firmware, for CAP_NET_ADMIN
 * @node: own node number
 * @epoch: incarnation, 0: counted in the board's EEPROM
 * @mac_address: all zero: the board's own
 * @reserved: 0
 *
 * Requests of all files end with ECONNRESET. A file without the privilege succeeds if the firmware
 * already runs as this node, and nothing happens.
 */
struct emp_ioctl_start {
	__u16 node;
	__u16 epoch;
	__u8 mac_address[6];
	__u16 reserved;
};

/**
 * struct emp_ioctl_peer - Ethernet address of a node
 * @node: number
 * @mac_address: address
 *
 * For CAP_NET_ADMIN; a file without succeeds if the node has this address already.
 */
struct emp_ioctl_peer {
	__u16 node;
	__u8 mac_address[6];
};

/**
 * struct emp_ioctl_words - words of the board's memory
 * @address: in the board's memory, a multiple of 4. Without CAP_NET_ADMIN: of the control block,
 *           the counters or the parameters
 * @count: at most EMP_IOCTL_WORDS_LIMIT
 * @words: address of an array
 */
struct emp_ioctl_words {
	__u32 address;
	__u32 count;
	__u64 words;
};

#define EMP_IOCTL_WORDS_LIMIT 512

/**
 * struct emp_ioctl_parameter - a live parameter of the firmware, for CAP_NET_ADMIN
 * @index: of the parameter, in the order of the specification
 * @value: within its range, or ERANGE
 */
struct emp_ioctl_parameter {
	__u32 index;
	__u32 value;
};

/**
 * struct emp_ioctl_translation - where the card sees the memory of a trusted program
 * @handle: of a registration
 * @reserved: 0
 * @count: of pages, from the first; EINVAL for more than the registration has
 * @pages: address of an array of __u64: written, the bus addresses of their beginnings
 */
struct emp_ioctl_translation {
	__u32 handle;
	__u32 reserved;
	__u64 count;
	__u64 pages;
};

#define EMP_IOCTL_MAGIC 0xE5

#define EMP_INFORMATION	  _IOR(EMP_IOCTL_MAGIC, 0, struct emp_ioctl_information)
#define EMP_BIND	  _IO(EMP_IOCTL_MAGIC, 1) /* argument: the port. EBUSY: taken */
#define EMP_REGISTER	  _IOWR(EMP_IOCTL_MAGIC, 2, struct emp_ioctl_memory)
#define EMP_DEREGISTER	  _IOW(EMP_IOCTL_MAGIC, 3, struct emp_ioctl_memory)
#define EMP_SUBMIT	  _IOWR(EMP_IOCTL_MAGIC, 4, struct emp_ioctl_batch)
#define EMP_START	  _IOW(EMP_IOCTL_MAGIC, 5, struct emp_ioctl_start)
#define EMP_SET_PEER	  _IOW(EMP_IOCTL_MAGIC, 6, struct emp_ioctl_peer)
#define EMP_READ	  _IOW(EMP_IOCTL_MAGIC, 7, struct emp_ioctl_words)
#define EMP_SET_PARAMETER _IOW(EMP_IOCTL_MAGIC, 8, struct emp_ioctl_parameter)
#define EMP_TRUST	  _IO(EMP_IOCTL_MAGIC, 9) /* EPERM, EBUSY: another file is in use */
#define EMP_TRANSLATE	  _IOW(EMP_IOCTL_MAGIC, 10, struct emp_ioctl_translation)
/* Ends the application as the end of its program does, though a child may have the file for long.
 * EBUSY while a part of the file is mapped. The file gets nothing of the card any more.
 */
#define EMP_LEAVE _IO(EMP_IOCTL_MAGIC, 11)

#endif
