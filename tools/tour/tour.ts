// npm run tour: recurring billing from the plan to a blocked subscription, shown by the API itself.
import { openClient } from './client.ts';
import { openListener } from './listener.ts';
import { openScreen } from './screen.ts';
import { startParcela } from './start-parcela.ts';
import { reportStory } from './story.ts';

const INTERRUPTED = 130;

/** Gives the exit code. */
async function main(): Promise<number> {
  const interruption = awaitInterruption();
  const screen = openScreen();
  screen.say('Parcela is started with a PostgreSQL and an acquirer of its own; it needs no network.');
  const closings: (() => Promise<void>)[] = [];
  try {
    const service = await startParcela(interruption);
    closings.unshift(service.close);
    const { demo, folder } = service;
    const { gatewayUrl, integrationUrl } = demo;
    const listener = await openListener();
    closings.unshift(listener.close);
    screen.say(
      `U=${gatewayUrl}   its data: ${folder}, which is removed at the end`,
      'What is left out of every call is the same each time: -H "Authorization: Bearer …", and -H "Content-Type: application/json".',
      'Of the answers you see what matters here ("last": the newest entry of a timeline); docs/openapi.json has all of it.',
    );
    const client = openClient(screen, { gateway: gatewayUrl, integration: integrationUrl }, interruption);
    await reportStory({ demo, client, screen, listener, reported: [] });
    screen.say(
      '',
      'To go on: npm start, and docs/en/recurrence.md to try it yourself; docs/recurrence.md for the rules',
      '("Charging" is what you have just seen), docs/webhooks.md and docs/test-clock.md for the rest.',
    );
    return 0;
  } catch (error) {
    if (interruption.aborted) return INTERRUPTED;
    process.stderr.write(`\nThe tour ends here: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    for (const close of closings) await close();
  }
}

/**
 * Ctrl-C, the end of whoever started us, and a reader that has seen enough (`npm run tour | head`).
 */
function awaitInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort());
  process.stdout.on('error', () => controller.abort());
  return controller.signal;
}

process.exitCode = await main();
