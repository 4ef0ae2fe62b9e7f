import process from 'node:process';
import {userInfo} from 'node:os';
import {printable} from '../../model/text.js';
import {readBytes} from '../system/proc.js';

const passwdPath = '/etc/passwd';
/** Enough for some ten thousand users; larger directories are not kept in that file. */
const maxPasswdBytes = 1024 * 1024;

/** Names of users by id, read once for a listing. */
export class UserNames {
	#names: Map<number, string> | undefined;

	/** The user's name, or its number if the name is not known here (another container's user, a directory service). */
	nameOf(uid: number): string {
		if (uid === process.geteuid?.()) {
			try {
				return printable(userInfo().username);
			} catch {
				// A user without a name, as containers have them.
			}
		}

		this.#names ??= readNames();
		return this.#names.get(uid) ?? String(uid);
	}
}

function readNames(): Map<number, string> {
	const read = readBytes(passwdPath, maxPasswdBytes);
	const lines = 'bytes' in read ? read.bytes.toString('utf8').split('\n') : [];
	return new Map(lines.map(line => line.split(':')).filter(fields => fields.length > 2).map(fields => [Number(fields[2]), printable(fields[0])]));
}
