/**
 * Each with what it would do; a name that ends in * stands for all that begin so. Written with -
 * where Node also takes _.
 */
const WEAKENING: readonly (readonly [option: string, effect: string])[] = [
  ['--tls-min-v1.0', 'allows versions of TLS that can be broken'],
  ['--tls-min-v1.1', 'allows versions of TLS that can be broken'],
  ['--tls-cipher-list', 'chooses the ciphers of TLS'],
  ['--openssl-legacy-provider', 'allows algorithms that can be broken'],
  ['--tls-keylog', 'writes the keys of TLS connections to a file'],
  ['--trace-tls', 'writes what TLS carries to the log'],
  ['--insecure-http-parser', 'takes requests that smuggle others in'],
  ['--inspect*', 'opens the inspector, which reads the memory'],
  ['--debug*', 'opens the inspector, which reads the memory'],
  ['--heapsnapshot-*', 'writes the memory to a file'],
  ['--heap-prof*', 'writes the memory to a file'],
  ['--report-*', 'writes the environment to a file'],
  ['--experimental-default-config-file', 'reads options from a file, where they are not seen'],
  ['--experimental-config-file', 'reads options from a file, where they are not seen'],
];

/**
 * What the environment and the options of Node would take away from production: one sentence for
 * each. Another provider of OpenSSL (`--use-openssl-ca`) and further authorities
 * (`NODE_EXTRA_CA_CERTS`) weaken no check.
 */
export function nodeWeaknesses(
  environment: Readonly<Record<string, string | undefined>>,
  options: readonly string[],
  inspectorUrl: string | undefined,
): string[] {
  const faults: string[] = [];
  if (inspectorUrl !== undefined) {
    faults.push(
      `the inspector of Node is open at ${new URL(inspectorUrl).host}, and reads the memory; start anew without it`,
    );
  }
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    faults.push(
      'NODE_TLS_REJECT_UNAUTHORIZED: 0 believes every certificate; name the authority of a private one in the …_CA_FILE of ' +
        'its channel, or in sslrootcert of DATABASE_URL',
    );
  }
  if ((environment.NODE_DEBUG ?? '').trim() !== '') {
    faults.push(
      'NODE_DEBUG: writes what is sent and received to the standard error; leave it out in production',
    );
  }
  const given: [string, readonly string[]][] = [
    ['NODE_OPTIONS', wordsOf(environment.NODE_OPTIONS ?? '')],
    ['the command line of Node', options],
  ];
  for (const [place, words] of given) {
    for (const word of words) {
      const weakening = weakeningOf(word);
      if (weakening !== undefined)
        faults.push(`${place}: ${optionOf(word)} ${weakening[1]}; leave it out in production`);
    }
  }
  return faults;
}

/**
 * As Node reads `NODE_OPTIONS`: quotes hold words together, a backslash takes the next character as
 * it is.
 */
function wordsOf(text: string): string[] {
  const bare = text.replaceAll(/\\(.)/g, '$1').replaceAll('"', ' ');
  return bare.split(/\s+/).filter(Boolean);
}

function optionOf(word: string): string {
  const [name = ''] = word.split('=');
  return name.replaceAll('_', '-');
}

function weakeningOf(word: string) {
  const option = optionOf(word);
  return WEAKENING.find(([name]) =>
    name.endsWith('*') ? option.startsWith(name.slice(0, -1)) : option === name,
  );
}
