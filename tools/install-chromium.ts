import { CHROMIUM } from './chromium.ts';
import { installFromDebian } from './install-from-debian.ts';

// Installs what the tests of the console drive, from Debian, where apt-get may.
process.exitCode = installFromDebian([CHROMIUM]);
