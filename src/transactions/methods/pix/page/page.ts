import { escapedMarkup } from '../../../../values/markup.ts';
import { qrCodeSvg } from '../../../../values/qr-code.ts';
import { copyable, htmlPage, pageHeaders } from '../../../payers/page-of-payer.ts';
import { factsOf, noticeOf, type PixToPay, payableCode, refreshSeconds } from './pix-to-pay.ts';

const STYLE = `
body { margin: 0; background: #eef0f3; color: #111; font: 16px/1.5 Helvetica, Arial, sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: 1rem; background: #fff; }
h1 { font-size: 1.4rem; margin: 0.5rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.5rem 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
.copy { font-family: ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; user-select: all; }
.notice { font-weight: bold; }
svg { display: block; width: 100%; height: auto; }
`;

/** Browsers check the style against this hash. A test computes it again. */
const STYLE_HASH = 'sha256-Bi65BnHTnOzdTKWbYFHbzj2HK8Q+NyP57XJC0AJPEOg=';

export const PIX_PAGE_HEADERS = pageHeaders(STYLE_HASH);

/** A payer whose browser runs no script sees the payment too: the page asks again by itself. */
export function pixPage(pix: PixToPay): string {
  const code = payableCode(pix);
  const facts = factsOf(pix).map(
    ([name, value]) => `<dt>${escapedMarkup(name)}</dt><dd>${escapedMarkup(value)}</dd>`,
  );
  const shown =
    code === null ? '' : `\n${qrCodeSvg(code)}\n<p>Pix copia e cola:</p>\n<p>${copyable(code)}</p>`;
  return htmlPage({
    title: pix.state === 'paid' ? 'Pix: paga' : 'Pix',
    style: STYLE,
    refreshSeconds: refreshSeconds(pix),
    content: `<h1>Pix</h1>
<p class="notice">${escapedMarkup(noticeOf(pix))}</p>
<dl>
${facts.join('\n')}
</dl>${shown}`,
  });
}

export const NO_PIX_PAGE = htmlPage({
  title: 'Pix não encontrado',
  style: STYLE,
  content: '<h1>Pix não encontrado</h1>\n<p>Confira o endereço, ou peça-o de novo a quem enviou o Pix.</p>',
});
