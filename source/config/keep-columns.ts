import {applyEdits, modify} from 'jsonc-parser';
import {replaceWhole} from '../exports/files/files.js';
import {printable} from '../model/text.js';
import {UserError} from '../runtime/errors.js';
import {readConfigFile} from './configure.js';
import {parseSettings} from './fields.js';

/**
Writes a view's columns into a configuration file, undefined for those that the width has room for; all else in it stays
as it is, comments too. Says in a line where they are; throws a UserError that says why not.
*/
export async function keepColumns(file: string, view: string, columns: readonly string[] | undefined): Promise<string> {
	const found = readConfigFile(file);
	const name = printable(file);
	if (found !== 'none' && 'problem' in found) {
		throw new UserError(`${name}: ${found.problem}`);
	}

	const text = found === 'none' || found.text.trim() === '' ? '{}\n' : found.text;
	const {isWhole, faults: [fault]} = parseSettings(text);
	if (!isWhole) {
		throw new UserError(`${name}:${fault.line}: ${fault.text}; fix it first`);
	}

	const edits = modify(text, ['columns', view], columns, {formattingOptions: {insertSpaces: false, tabSize: 4, eol: '\n'}});
	await replaceWhole(file, applyEdits(text, edits));
	return `columns kept in ${name}`;
}
