// Installs from Debian what tests run beside Parcela. Tests are skipped by name where it cannot be had.
import { installFromDebian } from './install-from-debian.ts';
import { TEST_PROGRAMS } from './test-programs.ts';

process.exitCode = installFromDebian(TEST_PROGRAMS);
