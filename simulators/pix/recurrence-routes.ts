import type { Route } from './call.ts';
import { getCobR, listCobRs, patchCobR, postCobR, putCobR, retryCobR } from './cobrs.ts';
import { freeLocRec, getLocRec, listLocRecs, postLocRec } from './locrecs.ts';
import { getRec, listRecs, patchRec, postRec } from './recs.ts';
import { getSolicRec, patchSolicRec, postSolicRec } from './solicrecs.ts';
import { deleteOwnWebhook, getOwnWebhook, putOwnWebhook } from './webhooks.ts';

/** By method and path; a colon stands for what the path names. */
export const ROUTES_OF_RECURRENCE: Readonly<Record<string, Route>> = {
  'POST /locrec': { scope: 'payloadlocationrec.write', act: postLocRec },
  'GET /locrec': { scope: 'payloadlocationrec.read', act: listLocRecs },
  'GET /locrec/:': { scope: 'payloadlocationrec.read', act: getLocRec },
  'DELETE /locrec/:/idRec': { scope: 'payloadlocationrec.write', act: freeLocRec },
  'POST /rec': { scope: 'rec.write', act: postRec },
  'PATCH /rec/:': { scope: 'rec.write', act: patchRec },
  'GET /rec/:': { scope: 'rec.read', act: getRec },
  'GET /rec': { scope: 'rec.read', act: listRecs },
  'POST /solicrec': { scope: 'solicrec.write', act: postSolicRec },
  'GET /solicrec/:': { scope: 'solicrec.read', act: getSolicRec },
  'PATCH /solicrec/:': { scope: 'solicrec.write', act: patchSolicRec },
  'PUT /cobr/:': { scope: 'cobr.write', act: putCobR },
  'POST /cobr': { scope: 'cobr.write', act: postCobR },
  'PATCH /cobr/:': { scope: 'cobr.write', act: patchCobR },
  'GET /cobr/:': { scope: 'cobr.read', act: getCobR },
  'GET /cobr': { scope: 'cobr.read', act: listCobRs },
  'POST /cobr/:/retentativa/:': { scope: 'cobr.write', act: retryCobR },
  'PUT /webhookrec': { scope: 'webhookrec.write', act: putOwnWebhook('rec') },
  'GET /webhookrec': { scope: 'webhookrec.read', act: getOwnWebhook('rec') },
  'DELETE /webhookrec': { scope: 'webhookrec.write', act: deleteOwnWebhook('rec') },
  'PUT /webhookcobr': { scope: 'webhookcobr.write', act: putOwnWebhook('cobr') },
  'GET /webhookcobr': { scope: 'webhookcobr.read', act: getOwnWebhook('cobr') },
  'DELETE /webhookcobr': { scope: 'webhookcobr.write', act: deleteOwnWebhook('cobr') },
};
