import {closeSync, openSync, readSync} from 'node:fs';

/** The section in which GraalVM's native-image keeps the heap that it built (ELF, imageheap). */
const heapSection = '.svm_heap';
/** An executable has a few dozen sections, and their names take some hundred bytes. */
const maxSections = 1024;
const maxNameBytes = 256 * 1024;
const headerBytes = 64;
const sectionBytes = 64;

/**
Whether a process's executable was made by GraalVM's native-image: 64-bit little-endian ELF with that section. False if
it cannot be read.
*/
export function isNativeImage(pid: number): boolean {
	let fd: number;
	try {
		fd = openSync(`/proc/${pid}/exe`, 'r');
	} catch {
		return false;
	}

	try {
		return sectionNames(fd).includes(`\0${heapSection}\0`);
	} catch {
		return false;
	} finally {
		closeSync(fd);
	}
}

/** The ELF file's section names, each with a NUL before and after it (elf(5)). */
function sectionNames(fd: number): string {
	const header = readAt(fd, 0, headerBytes);
	if (header.length < headerBytes || header.readUInt32BE(0) !== 0x7F_45_4C_46 || header[4] !== 2 || header[5] !== 1) {
		return '';
	}

	const tableAt = Number(header.readBigUInt64LE(40));
	const entryBytes = header.readUInt16LE(58);
	const count = header.readUInt16LE(60);
	const namesIndex = header.readUInt16LE(62);
	if (entryBytes !== sectionBytes || count > maxSections || namesIndex >= count || !Number.isSafeInteger(tableAt)) {
		return '';
	}

	const names = readAt(fd, tableAt + (namesIndex * sectionBytes), sectionBytes);
	const namesAt = Number(names.readBigUInt64LE(24));
	const namesBytes = Number(names.readBigUInt64LE(32));
	return namesBytes <= maxNameBytes && Number.isSafeInteger(namesAt) ? readAt(fd, namesAt, namesBytes).toString('latin1') : '';
}

function readAt(fd: number, at: number, count: number): Buffer {
	const bytes = Buffer.alloc(count);
	return bytes.subarray(0, readSync(fd, bytes, 0, count, at));
}
