import { spawnSync } from 'node:child_process';
import type { DebianProgram } from './install-from-debian.ts';

export const CHROMIUM: DebianProgram = {
  name: 'chromium',
  package: 'chromium',
  isThere: () => spawnSync('chromium', ['--version']).error === undefined,
};
