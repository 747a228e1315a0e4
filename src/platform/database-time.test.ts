import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseTime } from './database-time.ts';

const DAY = 86_400_000;
/** Milliseconds by which this clock is ahead of the machine's, give or take the test's own time. */
const aheadOf = (time: DatabaseTime) => time.now() - performance.timeOrigin - performance.now();
function read(time: DatabaseTime, ahead: number, milliseconds: number): void {
  const answeredAt = performance.now();
  const askedAt = answeredAt - milliseconds;
  time.note(performance.timeOrigin + askedAt + ahead, askedAt, answeredAt);
}
const SLACK = 50;
const isAbout = (actual: number, wanted: number) =>
  assert.ok(Math.abs(actual - wanted) < SLACK, `${actual}, not ${wanted}`);

test('before the first reading the time is that of the wall clock', () => {
  isAbout(aheadOf(new DatabaseTime()), 0);
});

test('a reading moves the time to the clock of the database, less the time of its answer', () => {
  const time = new DatabaseTime();
  read(time, DAY, 4_000);
  isAbout(aheadOf(time), DAY - 4_000);
});

test('of several readings the quickest answer counts, in whatever order they come', () => {
  const time = new DatabaseTime();
  read(time, DAY, 4_000);
  read(time, DAY, 1_000);
  isAbout(aheadOf(time), DAY - 1_000);
  read(time, DAY, 3_000);
  isAbout(aheadOf(time), DAY - 1_000);
  read(time, DAY, 0);
  isAbout(aheadOf(time), DAY);
});

test('a clock of the database that is set is followed, forward and back', () => {
  const time = new DatabaseTime();
  read(time, 0, 10);
  read(time, DAY, 10);
  isAbout(aheadOf(time), DAY);
  read(time, -DAY, 10);
  isAbout(aheadOf(time), -DAY);
});

test('after a reading the time is not before what the clock showed', () => {
  const time = new DatabaseTime();
  for (let reading = 0; reading < 1_000; reading += 1) {
    const shown = Math.ceil(performance.timeOrigin + performance.now() + reading * DAY) + 0.001;
    time.note(shown, performance.now(), performance.now());
    assert.ok(time.now() >= Math.floor(shown), `${time.now()} after ${shown}`);
  }
});
