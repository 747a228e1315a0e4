import { spawnSync } from 'node:child_process';

/** Why its tests are skipped; false: it is there. */
export function skipWithoutPromtool(): string | false {
  const { error } = spawnSync('promtool', ['--version']);
  return error === undefined ? false : 'promtool is not installed: npm run proxies -- install';
}
