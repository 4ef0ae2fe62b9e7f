/**
Makes `file`, an OCI archive, of the single files by their architectures; `folder` is for what is between. Throws where
a tool is missing.
*/
export function makeImage(
	file: string,
	singleFiles: Readonly<Partial<Record<'x64' | 'arm64', string>>>,
	details: {readonly version: string; readonly folder: string},
): Promise<void>;
