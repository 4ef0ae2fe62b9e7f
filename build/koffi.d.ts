/** Copies koffi's binaries to where source/jvm/system/koffi.ts finds them: beside the bundle. */
export function copyKoffi(bundle: string): Promise<void>;
