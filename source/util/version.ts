/** The package's version, which the build inserts. */
export const version = process.env.TPROF_VERSION ?? '0.0.0-source';
