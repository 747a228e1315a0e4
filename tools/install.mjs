// Makes node_modules what package-lock.json says, with the Node that Parcela pins in it, and says
// what it does. Runs before every npm script on whatever Node the machine has: plain JavaScript of
// Node 18, without packages.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotInstall, freeLock, readJson, takeLock, writeOwner } from './checkout-lock.mjs';

const OLDEST_NODE = 18;
const OLDEST_NPM = 11;
const DEADLINE_MILLISECONDS = 10 * 60 * 1000;
const NPM_END_MILLISECONDS = 5_000;
const ASK_VERSION_MILLISECONDS = 30_000;
const PROGRESS_MILLISECONDS = 2_000;
const KEPT_OUTPUT_CHARACTERS = 20_000;
const SHOWN_LINES = 12;

const checkout = fileURLToPath(new URL('..', import.meta.url));
const ownNode = join(checkout, 'node_modules', '.bin', 'node');
const lockFolder = join(checkout, '.installing');
const isQuiet = process.argv.includes('--quiet');
/** What only runs needs no packages of development; production gets none. */
const isToRun = process.argv.includes('--to-run');
const isWithoutDevelopment = isToRun && isProduction(process.env);

function isProduction({ PARCELA_ENVIRONMENT, NODE_ENV, npm_config_omit: omitted }) {
  if ([PARCELA_ENVIRONMENT, NODE_ENV].some((value) => value !== undefined && value.trim() === 'production'))
    return true;
  return (omitted || '').split(/[\s,]+/).includes('dev');
}

function say(text) {
  if (!isQuiet) process.stderr.write(text);
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** npm takes a package without an integrity as it comes: nothing that runs may be one. */
function refuseUnproven(wanted) {
  const unproven = Object.entries(wanted.packages)
    .filter(([path, entry]) => path !== '' && !entry.link && !entry.dev && !entry.integrity)
    .filter(([, entry]) => fitsThisMachine(entry));
  if (unproven.length === 0) return;
  throw new CannotInstall(
    `package-lock.json gives no integrity of ${unproven.map(([path]) => nameOf(path)).join(', ')}: what would run could not be ` +
      'told from something else. Bring the file back as it was (git checkout).',
  );
}

/** null when everything is as the lock file says; else what is not. */
function installationFault(wanted) {
  const installed = readJson(join(checkout, 'node_modules', '.package-lock.json'));
  if (installed === null) return 'they are not installed yet';
  for (const [path, entry] of Object.entries(wanted.packages)) {
    if (path === '' || entry.link) continue;
    const name = nameOf(path);
    const found = installed.packages[path];
    if (found === undefined) {
      if (isNeededHere(entry)) return `${name} is missing`;
      continue;
    }
    if (found.version !== entry.version || found.integrity !== entry.integrity) {
      return `${name} is ${found.version}, not ${entry.version} of the lock file`;
    }
    // npm writes its list at the end; what was removed since, or replaced half way, shows only in
    // the folder.
    const manifest = readJson(join(checkout, path, 'package.json'));
    if (manifest === null) return `${name} is missing`;
    if (manifest.version !== entry.version) return `${name} is ${manifest.version}, not ${entry.version}`;
  }
  return nodeFault(wanted);
}

/** npm leaves out optional packages of other machines, and what only those need. */
function isNeededHere(entry) {
  // A command of the operator's without its environment must not put them beside a service that
  // runs.
  if (entry.dev && isToRun) return false;
  if (!entry.optional && !entry.devOptional) return true;
  return (entry.os !== undefined || entry.cpu !== undefined) && fitsThisMachine(entry);
}

function fitsThisMachine(entry) {
  return (
    allows(entry.os, process.platform) &&
    allows(entry.cpu, process.arch) &&
    (entry.libc === undefined || allows(entry.libc, cLibrary()))
  );
}

function allows(list, value) {
  if (list === undefined) return true;
  const names = [].concat(list);
  if (names.includes(`!${value}`)) return false;
  return names.includes(value) || names.every((name) => name.startsWith('!'));
}

/** As npm distinguishes them. */
function cLibrary() {
  try {
    return readFileSync('/usr/bin/ldd', 'utf8').includes('musl') ? 'musl' : 'glibc';
  } catch {
    return 'unknown';
  }
}

/** The package of the pinned Node for this machine. */
function pinnedNode(wanted) {
  return Object.values(wanted.packages).find(
    (entry) => entry.bin && entry.bin.node !== undefined && fitsThisMachine(entry),
  );
}

function nodeFault(wanted) {
  if (!existsSync(ownNode)) return 'node_modules/.bin/node is missing';
  const version = versionOfOwnNode();
  const pinned = pinnedNode(wanted);
  if (version === null) return 'node_modules/.bin/node does not run';
  if (pinned !== undefined && version.split('.')[0] === `v${pinned.version.split('.')[0]}`) return null;
  return `node_modules/.bin/node is ${version}`;
}

function versionOfOwnNode() {
  // npm puts node_modules/.bin first in the path: mostly this very process is the proof that it
  // runs.
  if (realpathSync(ownNode) === realpathSync(process.execPath)) return process.version;
  const answer = spawnSync(ownNode, ['--version'], { encoding: 'utf8', timeout: ASK_VERSION_MILLISECONDS });
  return answer.status === 0 ? answer.stdout.trim() : null;
}

function checkMachine(wanted) {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    throw new CannotInstall(
      `Node ${process.versions.node} is too old to install Parcela: it takes any Node from ${OLDEST_NODE} on.\n` +
        'Parcela brings the Node it runs on; yours is only needed to install it.',
    );
  }
  if (pinnedNode(wanted) === undefined) {
    throw new CannotInstall(
      `Parcela does not run on ${process.platform} ${process.arch}: it runs on Linux and macOS, x64 and arm64.\n` +
        'On Windows, run it in WSL or in a container.',
    );
  }
}

/**
 * The npm that called us, on the Node that it runs on; called by something else, the npm of the
 * path.
 */
function findNpm() {
  const { npm_execpath: program, npm_node_execpath: node } = process.env;
  const isNpm =
    program !== undefined && /^npm(-cli)?(\.c?js)?$/.test(basename(program)) && existsSync(program);
  const runner = node !== undefined && existsSync(node) ? node : process.execPath;
  const npm = isNpm
    ? { file: runner, args: [program], env: process.env }
    : { file: 'npm', args: [], env: process.env };
  const answer = spawnSync(npm.file, [...npm.args, '--version'], {
    cwd: checkout,
    encoding: 'utf8',
    timeout: ASK_VERSION_MILLISECONDS,
  });
  const version = (answer.stdout || '').trim();
  if (answer.status !== 0 || !/^\d+\./.test(version)) {
    const reason = answer.error ? answer.error.message : answer.stderr;
    throw new CannotInstall(`npm does not run here, and Parcela is installed with it: ${reason}`);
  }
  if (Number(version.split('.')[0]) < OLDEST_NPM) {
    throw new CannotInstall(
      `npm ${version} is too old: Parcela needs npm ${OLDEST_NPM} or newer.\n` +
        `Run once: npm install --global npm@${OLDEST_NPM}    or, changing nothing here: npx --yes npm@${OLDEST_NPM} start`,
    );
  }
  return npm;
}

/**
 * The same npm on the Node that Parcela brings, which npm may remove and bring again while it runs.
 */
function onOwnNode(npm) {
  const path = `${join(checkout, 'node_modules', '.bin')}${delimiter}${process.env.PATH || ''}`;
  return {
    file: npm.args.length > 0 ? ownNode : npm.file,
    args: npm.args,
    env: { ...process.env, PATH: path },
  };
}

/** Runs one `npm ci` to its end; throws with what to do when it fails. */
async function runNpm(npm) {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--no-progress', '--prefer-offline'];
  // Without scripts every npm does the same, and whatever else NODE_ENV or .npmrc leaves out is
  // needed all the same.
  const development = isWithoutDevelopment ? '--omit=dev' : '--include=dev';
  args.push('--ignore-scripts', development, '--include=optional', '--no-engine-strict');
  // Three more tries within half a minute, instead of two within more than one.
  args.push('--fetch-retries=3', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=10000');
  const child = spawn(npm.file, [...npm.args, ...args], {
    cwd: checkout,
    env: npm.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) writeOwner(lockFolder, [process.pid, child.pid]);

  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(0, KEPT_OUTPUT_CHARACTERS);
    });
  }
  const ended = new Promise((done) => {
    child.once('error', (error) => done(error.message));
    child.once('close', (code, signal) =>
      done(code === 0 ? null : `npm ended with ${signal || `code ${code}`}`),
    );
  });
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    endNpm(child);
  }, DEADLINE_MILLISECONDS);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      endNpm(child);
      void ended.then(() => {
        freeLock(lockFolder);
        process.exit(1);
      });
    });
  }
  const stopProgress = showProgress();
  const fault = await ended;
  stopProgress();
  clearTimeout(deadline);
  if (fault === null) return;
  const minutes = DEADLINE_MILLISECONDS / 60_000;
  throw new CannotInstall(
    isLate
      ? `npm did not finish within ${minutes} minutes. Look at the network and start again.\n${gist(output)}`
      : `${adviceFor(output)}\n${fault}:\n${gist(output)}`,
  );
}

/** npm prints its whole manual after some faults. */
function gist(output) {
  const lines = output
    .split('\n')
    .filter((line) => !/^npm error\s*$|^npm error\s+at |Unknown (user|env) config/.test(line));
  return lines.slice(0, SHOWN_LINES).join('\n').trim();
}

function endNpm(child) {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), NPM_END_MILLISECONDS).unref();
}

function showProgress() {
  const start = Date.now();
  const seconds = () => Math.round((Date.now() - start) / 1000);
  const isTerminal = process.stderr.isTTY === true;
  const timer = setInterval(() => say(isTerminal ? `\r  ${seconds()} s ` : '.'), PROGRESS_MILLISECONDS);
  return () => {
    clearInterval(timer);
    say(`${isTerminal ? '\r' : '\n'}  ${seconds()} s\n`);
  };
}

const ADVICE = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET|network/i,
    'The npm registry cannot be reached. Look at the network, and at the proxy and registry that npm is told to use\n' +
      '(npm config get registry, npm config get proxy), then start again.',
  ],
  [
    /E40[13]\b|E404\b/,
    'The npm registry that npm is told to use (npm config get registry) refuses a package.',
  ],
  [/ENOSPC/, 'The disk is full: Parcela needs about 500 MB here.'],
  [/EINTEGRITY/, 'A package arrived other than the lock file says. Run npm cache verify and start again.'],
  [
    /EACCES|EPERM|EROFS/,
    'This user cannot write here or in the cache of npm. Start as the user to whom this folder belongs.',
  ],
  [/EUSAGE|in sync/, 'package.json and package-lock.json differ. Run npm install to bring them together.'],
  [/EBADENGINE|EBADPLATFORM|Unsupported engine/, 'A package does not run on this machine.'],
];

function adviceFor(output) {
  const found = ADVICE.find(([pattern]) => pattern.test(output));
  return found === undefined ? 'The packages could not be installed.' : found[1];
}

async function install(wanted, reason) {
  checkMachine(wanted);
  const npm = findNpm();
  if (
    (await takeLock(lockFolder, DEADLINE_MILLISECONDS, say, adviceFor)) &&
    installationFault(wanted) === null
  )
    return freeLock(lockFolder);
  try {
    say(`Installing the packages of Parcela (${reason}).\n`);
    say('They bring Node and PostgreSQL, about 100 MB to download: some seconds to a few minutes.\n');
    await runNpm(npm);
    let fault = installationFault(wanted);
    if (fault !== null) {
      // npm ends well without an optional package whose download broke, or that wants a newer Node
      // than npm runs on.
      say(`Once more, because ${fault}.\n`);
      await runNpm(nodeFault(wanted) === null ? onOwnNode(npm) : npm);
      fault = installationFault(wanted);
    }
    if (fault !== null) {
      throw new CannotInstall(
        `npm ended well, but the packages are not complete: ${fault}.\n` +
          'A download may have broken off: start again. If that does not help, remove node_modules and start again.',
      );
    }
  } finally {
    freeLock(lockFolder);
  }
}

async function main() {
  const wanted = readJson(join(checkout, 'package-lock.json'));
  if (wanted === null) {
    throw new CannotInstall(
      `package-lock.json is missing or broken in ${checkout}: bring it back (git checkout).`,
    );
  }
  refuseUnproven(wanted);
  const fault = installationFault(wanted);
  if (fault !== null) await install(wanted, fault);
}

main().catch((error) => {
  process.stderr.write(`\n${error instanceof CannotInstall ? error.message : error.stack}\n`);
  process.exitCode = 1;
});
