<?php

// The same steps as in scenario.py; what came of them is printed as JSON.

declare(strict_types=1);

require getenv('CLIENT_FOLDER') . '/Parcela.php';

use Parcela\NoAnswer;
use Parcela\Parcela;
use Parcela\ParcelaError;

$plan = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
$parcela = new Parcela($plan['url'], $plan['logins']);

$order = function (int $amount) use ($parcela, $plan): array {
    [$card] = $parcela->call('tokenizeCard', ['body' => ['cardNumber' => '5155901222280001']]);
    $body = $plan['payment'];
    $body['payment']['amount'] = $amount;
    $body['cardInfo']['numberToken'] = $card['numberToken'];
    return $body;
};

$paid = $parcela->call('createPayment', ['body' => $order(12990)], $plan['key'])['paymentAuthorization'];
$reference = $plan['payment']['referenceTransaction'];
$found = [];
foreach ($parcela->each('listPayments', ['referenceTransaction' => $reference]) as $one) $found[] = $one['paymentId'];
try {
    $parcela->call('createPayment', ['body' => $order(1051)]);
    $decline = null;
} catch (ParcelaError $error) {
    $message = $error->problems[0]['buyerMessage'] ?? '';
    $decline = [$error->status, $error->isDecline(), $error->mayBeDone, $message !== '', $error->paymentId() !== null];
}
try {
    $parcela->call('changePlanStatus', ['planId' => $plan['planId'], 'body' => ['status' => 'Inactive']]);
    $lost = null;
} catch (NoAnswer $error) {
    $lost = [$error->mayBeDone, $error->idempotencyKey];
}
$movements = 0;
foreach ($parcela->each('listMovements', ['accountNumber' => '1000001', 'limit' => 2]) as $_) $movements++;
$verdicts = array_map(
    fn ($one) => Parcela::isGenuine($one['headers'], $one['body'], $one['secret'], $plan['now']),
    $plan['vectors'],
);
echo json_encode(['paid' => $paid['paymentId']] + compact('found', 'decline', 'lost', 'movements', 'verdicts'), JSON_THROW_ON_ERROR);
