import { referenceOf } from '../src/app/reference.ts';

/** All that there is: homologation publishes whatever production does. */
export const REFERENCE = await referenceOf('homologation');

/** Every endpoint, in the order of the reference. */
export const ENDPOINTS = REFERENCE.endpoints;
