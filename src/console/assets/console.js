// The one script of the console: passkeys, and pages that are read again while somebody looks at them.
const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const utf8 = (text) => new TextEncoder().encode(text);

/** The answer of an authenticator as the service reads it. */
function written({ id, type, response }) {
  const names = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const answer = {};
  for (const name of names) if (response[name]) answer[name] = textOf(response[name]);
  if (response.getTransports) answer.transports = response.getTransports();
  return JSON.stringify({ id, rawId: id, type, response: answer, clientExtensionResults: {} });
}

function askFor({ passkey, challenge, party, user, name }) {
  const asked = { challenge: utf8(challenge), timeout: 120_000 };
  if (passkey === 'get') {
    return navigator.credentials.get({
      publicKey: { ...asked, rpId: party, userVerification: 'required' },
    });
  }
  return navigator.credentials.create({
    publicKey: {
      ...asked,
      rp: { id: party, name: 'Parcela' },
      user: { id: utf8(user), name, displayName: name },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    },
  });
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', async (event) => {
    const field = form.elements.namedItem('passkey');
    if (field.value !== '') return;
    event.preventDefault();
    const fault = form.querySelector('[data-fault]');
    fault.hidden = true;
    try {
      field.value = written(await askFor(form.dataset));
      form.requestSubmit();
    } catch {
      fault.hidden = false;
    }
  });
}

/** The longest pauses: when nothing on the page changes, and while the service does not answer. */
const LONGEST_PAUSE_SECONDS = { unchanged: 60, away: 120 };
const PATIENCE = 1.25;
const UNDER_WAY_SECONDS = 2;
const ANSWER_MILLISECONDS = 20_000;
/** The most changes that a screen reader is given at once; more would be talked over. */
const MOST_NEWS = 3;
const LONGEST_NEWS = 160;

/** A page that is read again while somebody looks at it; only its changes are replaced. */
class LivePage {
  isReading = false;
  timer = 0;

  constructor(place) {
    this.place = place;
    this.note = document.querySelector('[data-away]');
    this.news = document.querySelector('[data-news]');
    this.seconds = Number(place.dataset.refresh);
    this.mark = place.dataset.mark;
    this.pause = this.usualPause();
  }

  /** Figures that are still being read are asked for soon. */
  usualPause() {
    const isUnderWay = this.place.querySelector('[data-under-way]') !== null;
    return isUnderWay ? Math.min(UNDER_WAY_SECONDS, this.seconds) : this.seconds;
  }

  /** A hidden page asks nothing; shown again, it is read at once. */
  start() {
    document.addEventListener('visibilitychange', () => (document.hidden ? this.stop() : this.read()));
    this.wait();
  }

  stop() {
    clearTimeout(this.timer);
  }

  wait() {
    this.stop();
    // Pages opened at the same time must not ask at the same time.
    const chance = 0.9 + Math.random() * 0.2;
    if (!document.hidden) this.timer = setTimeout(() => this.read(), this.pause * chance * 1_000);
  }

  async read() {
    if (this.isReading) return;
    this.isReading = true;
    this.stop();
    try {
      const answer = await fetch(location.href, {
        headers: { 'x-parcela-live': '1', 'if-none-match': `"${this.mark}"` },
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
      });
      // Signed out: nobody may see the content any more.
      if (answer.type === 'opaqueredirect') location.reload();
      else await this.take(answer);
    } catch {
      this.fail(0);
    }
    this.isReading = false;
    this.wait();
  }

  async take(answer) {
    const mark = /^"(.*)"$/.exec(answer.headers.get('etag') ?? '')?.[1];
    if (mark === undefined || (answer.status !== 200 && answer.status !== 304))
      return this.fail(Number(answer.headers.get('retry-after') ?? 0));
    if (answer.status === 304) {
      const longest = Math.max(this.seconds, LONGEST_PAUSE_SECONDS.unchanged);
      this.pause = Math.min(this.pause * PATIENCE, longest);
    } else {
      this.show(new DOMParser().parseFromString(await answer.text(), 'text/html').body);
      this.mark = mark;
      this.pause = this.usualPause();
    }
    if (this.note.textContent === '') return;
    this.note.textContent = '';
    this.news.textContent = this.news.dataset.news;
    this.pause = this.seconds;
  }

  show(read) {
    const news = [];
    const used = document.activeElement;
    renewChildren(this.place, read, news);
    // The focused element is gone: the keyboard begins with the content, not with the page.
    if (used !== document.activeElement) document.querySelector('main').focus({ preventScroll: true });
    if (news.length > 0) this.news.textContent = news.slice(0, MOST_NEWS).join('. ');
  }

  fail(secondsToWait) {
    this.pause = Math.min(Math.max(this.pause * 2, secondsToWait), LONGEST_PAUSE_SECONDS.away);
    this.note.textContent = this.note.dataset.away;
  }
}

/** Identifies a part of a page when it is read again; its place alone does not. */
function keyOf(part) {
  if (part.nodeType !== Node.ELEMENT_NODE) return '';
  if (part.id !== '') return part.id;
  if (part.matches('tr, li')) return part.querySelector('a[href]')?.getAttribute('href') ?? '';
  if (part.matches('form')) return part.getAttribute('action') ?? '';
  if (part.matches('details')) return part.querySelector('form')?.getAttribute('action') ?? '';
  if (part.matches('section')) return part.querySelector('h2')?.textContent ?? '';
  return part.getAttribute('aria-label') ?? '';
}

/** Shown parts stay where possible, with their focus, open details and typed text. */
function renewChildren(shown, read, news) {
  const rest = [...shown.childNodes];
  const pairs = [...read.childNodes].map((wanted) => {
    const isSame = (one) => one.nodeName === wanted.nodeName && keyOf(one) === keyOf(wanted);
    const index = rest.findIndex(isSame);
    return [wanted, index === -1 ? null : rest.splice(index, 1)[0]];
  });
  for (const gone of rest) gone.remove();
  let here = shown.firstChild;
  for (const [wanted, kept] of pairs) {
    if (kept === null) {
      shown.insertBefore(wanted, here);
      news.push(...newsOfAdded(wanted));
    } else {
      if (kept === here) here = here.nextSibling;
      else shown.insertBefore(kept, here);
      renew(kept, wanted, news);
    }
  }
}

function renew(kept, wanted, news) {
  if (kept.isEqualNode(wanted)) return;
  if (kept.nodeType !== Node.ELEMENT_NODE) {
    kept.nodeValue = wanted.nodeValue;
    return;
  }
  // Typed and chosen values belong to the user; a form's mark and key stay valid. Other hidden fields belong to
  // the page.
  if (kept.matches('input[type="hidden"]:not([name="mark"], [name="once"])')) {
    kept.name = wanted.name;
    kept.value = wanted.value;
  }
  // An unchanged field takes the page's new value: days without a filter go on at midnight.
  if (kept.matches('input:not([type="hidden"])') && kept.value === kept.defaultValue)
    kept.defaultValue = wanted.defaultValue;
  if (kept.matches('input, select, textarea')) return;
  const before = stateOf(kept);
  for (const { name } of [...kept.attributes])
    if (name !== 'open' && !wanted.hasAttribute(name)) kept.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (kept.getAttribute(name) !== value) kept.setAttribute(name, value);
  renewChildren(kept, wanted, news);
  if (stateOf(kept) !== before) news.push(newsOf(kept));
}

/** Null: changes of the part are shown, and not announced. */
function stateOf(part) {
  if (part.matches('.badge')) return part.textContent;
  return part.matches('.figure') ? part.className : null;
}

const plainText = (part) => part.textContent.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_NEWS);

function newsOf(part) {
  const around = part.closest('tr, li, .headline');
  if (around === null) return plainText(part);
  const title = around.matches('tr') ? around.cells[0] : document.querySelector('h1');
  return around.matches('li') ? plainText(around) : `${plainText(title)}: ${plainText(part)}`;
}

/** What was added, for screen readers: table rows and timeline entries, one by one. */
function newsOfAdded(part) {
  if (part.nodeType !== Node.ELEMENT_NODE) return [];
  const one = 'tbody tr, .timeline li';
  return (part.matches(one) ? [part] : [...part.querySelectorAll(one)]).map(plainText);
}

// The menu scrolls by itself where it is longer than the window.
const menu = document.querySelector('nav.main');
const here = menu?.querySelector('[aria-current]');
if (here && menu.scrollHeight > menu.clientHeight)
  menu.scrollTop = here.offsetTop - (menu.clientHeight - here.offsetHeight) / 2;

const live = document.querySelector('[data-refresh]');
if (live !== null) new LivePage(live).start();
