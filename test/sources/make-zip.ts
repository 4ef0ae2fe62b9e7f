import {Buffer} from 'node:buffer';
import {deflateRawSync} from 'node:zlib';

export type ZipEntry = {readonly name: string; readonly content: string | Buffer; readonly isStored?: boolean; /** Said in the directory, whatever is true. */ readonly bytes?: number; readonly packedBytes?: number; readonly at?: number};

/** A zip file of these entries. */
export function makeZip(entries: readonly ZipEntry[], comment = ''): Buffer {
	const [parts, directory] = [[] as Buffer[], [] as Buffer[]];
	let at = 0;
	for (const entry of entries) {
		const content = Buffer.from(entry.content);
		const packed = entry.isStored ? content : deflateRawSync(content);
		const name = Buffer.from(entry.name);
		const local = Buffer.alloc(30);
		local.writeUInt32LE(0x04_03_4B_50, 0);
		local.writeUInt16LE(name.length, 26);
		const central = Buffer.alloc(46);
		central.writeUInt32LE(0x02_01_4B_50, 0);
		central.writeUInt16LE(entry.isStored ? 0 : 8, 10);
		central.writeUInt32LE(entry.packedBytes ?? packed.length, 20);
		central.writeUInt32LE(entry.bytes ?? content.length, 24);
		central.writeUInt16LE(name.length, 28);
		central.writeUInt32LE(entry.at ?? at, 42);
		parts.push(local, name, packed);
		directory.push(central, name);
		at += local.length + name.length + packed.length;
	}

	const end = Buffer.alloc(22);
	const directoryBytes = Buffer.concat(directory);
	end.writeUInt32LE(0x06_05_4B_50, 0);
	end.writeUInt16LE(entries.length, 10);
	end.writeUInt32LE(directoryBytes.length, 12);
	end.writeUInt32LE(at, 16);
	end.writeUInt16LE(comment.length, 20);
	return Buffer.concat([...parts, directoryBytes, end, Buffer.from(comment)]);
}
