<?php
// WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:3000 receive-webhook.php (PHP 8.0 or later with pdo_sqlite, 64 bits)
declare(strict_types=1);

const MOST_BYTES = 64 * 1024;
const MOST_SECONDS = 5 * 60;

/** Whether the message is Parcela's, whole, and new. $body: the bytes as they came. $now: seconds since 1970. */
function isGenuine(array $headers, string $body, string $secret, int $now): bool
{
    $id = $headers['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $headers['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $signatures = $headers['HTTP_WEBHOOK_SIGNATURE'] ?? '';
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs($now - (int) $timestamp) > MOST_SECONDS) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // Two signatures while a secret is being changed: one that is right will do.
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($right, $given)) {
            return true;
        }
    }
    return false;
}

/** Works a notification off, once, however often it comes. All or nothing: what throws is answered 500 and comes again. */
function takeNotification(PDO $database, array $told): void
{
    $database->beginTransaction();
    $seen = $database->prepare('insert into movements values (?) on conflict do nothing');
    $seen->execute([$told['movementId']]);
    // What your system does about it goes here, in the same transaction. A number that is smaller came late, and is old news.
    if ($seen->rowCount() === 1) {
        $database->prepare(
            'insert into installments values (?, ?, ?, ?, 1) on conflict (nsu, number) do update
             set status = excluded.status, movement_id = excluded.movement_id, changes = changes + 1
             where excluded.movement_id > movement_id',
        )->execute([$told['nsu'], $told['installmentNumber'], $told['newValue'], $told['movementId']]);
    }
    $database->commit();
}

function openDatabase(): PDO
{
    $database = new PDO('sqlite:' . (getenv('WEBHOOK_DATABASE') ?: 'webhook.db'));
    $database->exec('create table if not exists movements (movement_id integer primary key)');
    $database->exec('create table if not exists installments (nsu text, number integer, status text,
        movement_id integer, changes integer, primary key (nsu, number))');
    return $database;
}

function answer(): int
{
    $secret = getenv('WEBHOOK_SECRET') ?: throw new RuntimeException('WEBHOOK_SECRET is missing');
    $body = (string) file_get_contents('php://input', false, null, 0, MOST_BYTES + 1);
    if (strlen($body) > MOST_BYTES || !isGenuine($_SERVER, $body, $secret, time())) {
        return 400;
    }
    $told = json_decode($body, true, 8, JSON_THROW_ON_ERROR);
    // A callback of a payment has no number, and belongs to another address.
    if (!is_int($told['movementId'] ?? null)) {
        return 400;
    }
    if ($told['type'] !== 'Teste') {
        takeNotification(openDatabase(), $told);
    }
    return 200;
}

try {
    http_response_code(answer());
} catch (Throwable $error) {
    error_log((string) $error);
    http_response_code(500);
}
