import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { NO_CACHE } from './ocs-reply';
import { formatOf, isOcsPath } from './ocs-request';

/** All known paths are stored under one method, with their verbs beside them. */
const ANY = 'GET';

/**
 * Answers 405 without a body to a known OCS path with a wrong verb. A route for each wrong verb of each path would be
 * thousands of routes, which take a tenth of the start and megabytes of each process.
 */
@Injectable()
export class WrongVerbs {
  private readonly verbsOf = new Map<string, Set<string>>();
  private readonly paths = findMyWay();

  /** Providers are made before the first route, so the hook sees all routes. */
  constructor(host: HttpAdapterHost) {
    host.httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', ({ url, method }) => {
      if (isOcsPath(url)) for (const verb of [method].flat()) this.learn(url, verb);
    });
  }

  private learn(url: string, verb: string): void {
    const known = this.verbsOf.get(url);
    if (known) return void known.add(verb);
    const verbs = new Set([verb]);
    this.verbsOf.set(url, verbs);
    this.paths.on(ANY, url, () => undefined, verbs);
  }

  /** Answers a request without a route, if its path has one for another verb. @returns whether it did */
  answered(request: FastifyRequest, reply: FastifyReply): boolean {
    const verbs = this.paths.find(ANY, request.url)?.store as Set<string> | undefined;
    // A path with an empty part has a route, which the framework refuses.
    if (!verbs || verbs.has(request.method)) return false;
    const type = formatOf(request) === 'json' ? 'application/json; charset=utf-8' : 'text/xml; charset=UTF-8';
    void reply
      .code(405)
      .header('content-type', type)
      .header('cache-control', NO_CACHE)
      .header('allow', [...verbs].join(', '))
      .send();
    return true;
  }
}
