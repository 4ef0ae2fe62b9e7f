/** System calls of Linux on x86-64 (sched_setattr(2)): the C library has no function for them before glibc 2.41. */
const setAttributes = 314;
const getAttributes = 315;

/** struct sched_attr in its first version (include/uapi/linux/sched/types.h): bytes, and where its fields are. */
const attributesBytes = 48;
const at = {size: 0, policy: 4, priority: 20} as const;

/** Scheduling policies that leave the CPU to no thread of an ordinary one (sched(7)). */
const policy = {FIFO: 1, RR: 2, DEADLINE: 6} as const;

/** Lets the calling thread go before all ordinary ones, for a while. */
export type Priority = {
	/** From now on; false where that is not allowed (CAP_SYS_NICE, or RLIMIT_RTPRIO). */
	raise(): boolean;
	/** As it was before `raise`. */
	restore(): void;
};

/** `syscall`: syscall(2), giving 0 for a call that succeeded. */
export function priorityBy(syscall: (number: number, thread: number, attributes: Uint8Array, sizeOrFlags: number, flags: number) => number): Priority {
	const own = new Uint8Array(attributesBytes);
	const raised = new Uint8Array(attributesBytes);
	const view = new DataView(raised.buffer);
	view.setUint32(at.size, attributesBytes, true);
	view.setUint32(at.policy, policy.RR, true);
	view.setUint32(at.priority, 1, true);
	let isRaised = false;
	let isForbidden = false;
	return {
		raise() {
			if (isRaised || isForbidden) {
				return isRaised;
			}

			// Read each time: somebody may have changed it (renice), and may have given us a policy as good.
			isForbidden = syscall(getAttributes, 0, own, attributesBytes, 0) !== 0;
			const ownPolicy = new DataView(own.buffer).getUint32(at.policy, true);
			if (isForbidden || Object.values<number>(policy).includes(ownPolicy)) {
				return !isForbidden;
			}

			isRaised = syscall(setAttributes, 0, raised, 0, 0) === 0;
			isForbidden = !isRaised;
			return isRaised;
		},
		restore() {
			if (isRaised) {
				syscall(setAttributes, 0, own, 0, 0);
				isRaised = false;
			}
		},
	};
}
