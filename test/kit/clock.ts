import assert from 'node:assert/strict';
import { call, type Reply } from './merchant.ts';

export const CLOCK = '/homologation/clock';
export const DAY = 86_400_000;

/**
 * What `now` and `target` say, read as if São Paulo were UTC: for differences, which is all that is
 * asked here.
 */
export const wallTime = (text: string): number => Date.parse(`${text}Z`);

export async function readClock(url: string, token: string): Promise<Reply['body']> {
  const reply = await call(url, CLOCK, { token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

export function jump(url: string, token: string, body: unknown): Promise<Reply> {
  return call(url, CLOCK, { token, body, timeoutMilliseconds: 120_000 });
}

/** Jumps and arrives. */
export async function arrive(url: string, token: string, body: unknown): Promise<Reply['body']> {
  const reply = await jump(url, token, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
