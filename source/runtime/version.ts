/** The version of the package; the build puts it in. */
export const version = process.env.TPROF_VERSION ?? '0.0.0-source';
