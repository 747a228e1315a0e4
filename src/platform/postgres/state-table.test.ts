import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromOtherStates, fromStates } from './state-table.ts';

const BULB_MOVES = {
  dark: { light: 'lit', darken: null, smash: 'broken' },
  lit: { light: 'lit', darken: 'dark', smash: 'broken' },
  broken: { light: null, darken: null, smash: null },
} as const;

test('an update names every state in which its events can happen, each once', () => {
  assert.equal(fromStates(BULB_MOVES, 'darken'), "'lit'");
  assert.equal(fromStates(BULB_MOVES, 'light'), "'dark', 'lit'");
  assert.equal(fromStates(BULB_MOVES, 'light', 'smash'), "'dark', 'lit'");
});

test('an update that writes down a change names the states that its events change', () => {
  assert.equal(fromOtherStates(BULB_MOVES, 'light'), "'dark'");
  assert.equal(fromOtherStates(BULB_MOVES, 'light', 'darken'), "'dark', 'lit'");
});

test('an event that can happen nowhere is refused when the program is loaded', () => {
  const never = { dark: { light: null } };
  assert.throws(() => fromStates(never, 'light'), /no state from which there is a light/);
  assert.throws(() => fromOtherStates({ dark: { darken: 'dark' } }, 'darken'), /darken/);
});
