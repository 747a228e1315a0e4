import type { Edit } from './edit.ts';

/** A small mistake that matters, and the file of `npm test` that says so. */
export type Mutation = Edit & { readonly name: string; readonly caughtBy: string };
