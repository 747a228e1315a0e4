/**
 * The same in each run of `npm test`: what fails there is the change at hand. `npm run proof` gives others.
 */
export const SEED = Number(process.env.SEED ?? 20_261_128);
