import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { NO_CACHE } from './ocs-reply';
import { formatOf, isOcsPath } from './ocs-request';

/** Answers 405 without a body to a known OCS path with a wrong verb. It uses the route table itself. */
@Injectable()
export class WrongVerbs implements OnApplicationBootstrap {
  private readonly verbsOf = new Map<string, Set<string>>();
  private readonly instance: FastifyInstance;

  /** Providers are made before the first route, so the hook sees all routes. */
  constructor(host: HttpAdapterHost) {
    this.instance = host.httpAdapter.getInstance<FastifyInstance>();
    this.instance.addHook('onRoute', (route) => {
      if (!isOcsPath(route.url)) return;
      const known = this.verbsOf.get(route.url) ?? new Set();
      for (const verb of [route.method].flat()) known.add(verb);
      this.verbsOf.set(route.url, known);
    });
  }

  onApplicationBootstrap(): void {
    const verbs = this.instance.supportedMethods as HTTPMethods[];
    for (const [url, known] of [...this.verbsOf]) {
      const method = verbs.filter((verb) => !known.has(verb));
      const allow = [...known].join(', ');
      this.instance.route({
        url,
        method,
        exposeHeadRoute: false,
        handler: (request, reply) => {
          const type =
            formatOf(request) === 'json' ? 'application/json; charset=utf-8' : 'text/xml; charset=UTF-8';
          void reply
            .code(405)
            .header('content-type', type)
            .header('cache-control', NO_CACHE)
            .header('allow', allow)
            .send();
        },
      });
    }
  }
}
