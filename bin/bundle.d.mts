/** A source by which a program is named, like `src/main.ts`. */
type Bundle = { readonly folder: string; readonly main: string };

export function bundleOf(program: string, home?: string): Bundle | null;
export function freshBundle(home?: string): Promise<void>;
export function buildBundle(home?: string, builder?: string): Promise<void>;
export function builderOf(home: string): string;
