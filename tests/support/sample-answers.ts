import type { AnswersRecord } from '../../src/model/run/rounds.ts';
import type { ResultLists } from './result-lists.ts';

const GET_USER = {
  operation: 'GetUser',
  arguments: '{"id":1}',
  path: '$.users[0].extra',
  requests: 10,
  changedRequests: 3,
};

/** A head that answers otherwise: one operation of two services, another of one of them. */
export const CHANGED_ANSWERS: AnswersRecord = {
  requests: 22,
  changed: [
    { service: 'rest', ...GET_USER },
    { service: 'rest', operation: 'ListUsers', arguments: '{}', path: '$', requests: 1, changedRequests: 1 },
    { service: 'grpc', ...GET_USER },
  ],
};

/** What is found of such an operation. */
export const CHANGED_ANSWER: ResultLists['answers'][number] = {
  ...GET_USER,
  services: ['rest', 'grpc'],
  verdict: 'warns',
};
