/** The server was killed while it was being started or used: starting again may help. */
export class PostgresKilled extends Error {
  override readonly name = 'PostgresKilled';
}
