import { existsSync } from 'node:fs';
import type { DebianProgram } from './install-from-debian.ts';

export const CHROMIUM_PATH = '/usr/bin/chromium';

export const CHROMIUM: DebianProgram = {
  name: 'chromium',
  package: 'chromium',
  isThere: () => existsSync(CHROMIUM_PATH),
};
