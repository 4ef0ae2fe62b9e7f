type Details = {
	/** The single file for the architecture. */
	readonly file: string;
	readonly architecture: 'x64' | 'arm64';
	readonly version: string;
	/** The text of all licences. */
	readonly licenses: string;
	/** An empty folder for what is between. */
	readonly folder: string;
};

/** Makes a package for Debian's kind of host in the folder `into`. Returns its path; throws without dpkg-deb. */
export function makeDeb(into: string, details: Details): Promise<string>;

/** Makes a package for Red Hat's kind of host in the folder `into`. Returns its path; throws without rpmbuild. */
export function makeRpm(into: string, details: Details): Promise<string>;
