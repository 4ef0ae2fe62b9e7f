import process from 'node:process';

/** Returns the command line of the user's editor in words: $VISUAL, else $EDITOR, else vi. */
export function editorOf({VISUAL, EDITOR}: NodeJS.ProcessEnv): readonly string[] {
	return [VISUAL, EDITOR].map(text => text?.trim() ?? '').find(text => text !== '')?.split(/\s+/) ?? ['vi'];
}

/** Runs the user's editor on a file at a line, from 1; rejects with an Error that says why it could not be started. */
export async function edit(file: string, line: number): Promise<void> {
	const [command, ...args] = editorOf(process.env);
	// Loaded here, as it would delay every start.
	const {spawn} = await import('node:child_process');
	await new Promise<void>((resolve, reject) => {
		const child = spawn(command, [...args, `+${Math.max(1, line)}`, file], {stdio: 'inherit'});
		child.once('error', error => {
			reject(new Error(`cannot start ${command} (${(error as NodeJS.ErrnoException).code ?? error.message}); set EDITOR`));
		});
		child.once('exit', () => {
			resolve();
		});
	});
}
