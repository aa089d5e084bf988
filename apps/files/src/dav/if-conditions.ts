import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  DavFailure,
  parseDestination,
  parseIf,
  RequestConditions,
  submittedTokens,
  TreeFailure,
  tokenOf,
  type DavPath,
  type NodePath,
  type StateConditions,
} from '#storage';
import { headerOf, isWithinTree, type DavCall } from './dav-call';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH']);

/** Tokens of our locks in a request's If header. @throws DavFailure `bad-request` */
export function lockTokensOf(request: FastifyRequest): string[] {
  const header = headerOf(request, 'if');
  if (header === undefined) return [];
  return submittedTokens(parseIf(header)).flatMap((address) => tokenOf(address) ?? []);
}

/** Checks the If headers of requests to trees of files (RFC 4918, section 10.4). */
@Injectable()
export class IfConditions {
  constructor(private readonly conditions: RequestConditions) {}

  /** @returns undefined without the header @throws DavFailure `precondition-failed`, `bad-request`; TreeFailure */
  async judge(request: FastifyRequest, call: DavCall): Promise<StateConditions | undefined> {
    const header = headerOf(request, 'if');
    if (header === undefined) return undefined;
    const destination = headerOf(request, 'destination');
    return this.conditions.judge(call.view, parseIf(header), {
      path: call.path,
      destination: destination === undefined ? undefined : pathIn(call, destination),
      isChange: !READING.has(request.method),
      pathOf: (resource) => pathIn(call, resource),
    });
  }
}

/** Path of an address in the tree of a call; undefined for an address elsewhere. */
function pathIn(call: DavCall, address: string): NodePath | undefined {
  const found = readAddress(address);
  return found && isWithinTree(found.tree, call) ? found.path : undefined;
}

function readAddress(address: string): DavPath | undefined {
  try {
    return parseDestination(address);
  } catch (error) {
    if (error instanceof DavFailure || error instanceof TreeFailure) return undefined;
    throw error;
  }
}
