// Posts once to the address given and prints what came of it: for what only the environment of a
// process can show.
import { openCarefulPost } from '../../src/webhooks/posting/open-careful-post.ts';
import { openResolver } from '../../src/webhooks/posting/open-resolver.ts';

const rules = { takesHttp: true, takesLoopback: true, openedNetworks: [] };
const way = openCarefulPost(rules, openResolver());
const url = process.argv[2] ?? '';
const result = await way.post({
  merchantId: 'loja',
  url,
  body: '{}',
  headers: {},
  connectMilliseconds: 30_000,
  totalMilliseconds: 30_000,
});
console.log(JSON.stringify(result));
await way.close();
