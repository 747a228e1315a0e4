import { declaredMetrics } from '../src/platform/metrics.ts';
// Loads every module, and with it what it declares.
import '../src/app/open-app.ts';

/** docs/monitoring.md: every metric that there is, and what watches them. */
export function monitoringPage(note: string): string {
  const rows = declaredMetrics().map(({ name, type, labels, of, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    of,
    help,
  ]);
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const columns = ['metric', 'type', 'labels', 'of', 'meaning'];
  const table = [columns, columns.map(() => '---'), ...rows].map(line).join('\n');
  return `${['# Monitoring', note, INTRODUCTION, '## Metrics', OF_THE_TABLE, table].join('\n\n')}\n`;
}

const INTRODUCTION = `\`/metrics\` is Prometheus text on a listener of its own (\`PARCELA_METRICS_HOST\`, \`PARCELA_METRICS_PORT\`: loopback, and 1000 above the API). Measure every process.
On an address that others reach, a process starts only with \`PARCELA_METRICS_TOKEN_FILE\`, and readers send \`Authorization: Bearer …\`; a replaced token is taken up within seconds.
There is no TLS: across networks use the proxy, or the network of the cluster. Without a token it takes no \`Host\` but \`localhost\` and addresses of loopback (421 otherwise).

\`\`\`yaml
scrape_configs:
  - job_name: parcela
    authorization: { credentials_file: /etc/prometheus/parcela-token }
    static_configs: [{ targets: ["10.1.0.11:9080", "10.1.0.12:9080"] }]
rule_files: [alerts.yaml]
\`\`\`

- \`deploy/monitoring/alerts.yaml\` has the alert rules: \`severity: page\` is worth waking for, \`ticket\` is for office hours. Each says what to do; its
  \`runbook_url\` leads to [the runbook](runbook.md). Put your own address before it (\`sed 's|docs/runbook.md|https://…/runbook.md|'\`).
- \`deploy/monitoring/dashboard.json\` is a dashboard for Grafana (Dashboards, New, Import).

Both are tested against the metrics below. Neither was tried in a Grafana or an Alertmanager: thresholds are a beginning.`;

const OF_THE_TABLE = `\`process\`: what this process saw since it started; \`sum\` them. \`database\`: counted in the database by every process of the role that counts it, up to a bound; \`max\` them.
Ages and durations are in seconds (0: nothing), money in cents. Beside these stand \`process_…\` and \`nodejs_…\` of prom-client. A counter or gauge without a value shows its
name and no line; those of the bank and of an anti-fraud provider are there where one is named.`;
