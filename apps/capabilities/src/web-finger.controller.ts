import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BudgetSpent, CallLimits, TrustedIssuer } from '#identity';
import { Describe } from '#platform';
import { PeopleByMail } from './people-by-mail';
import { answerPublicly, notThere } from './public-answer';

const ISSUER_RELATION = 'http://openid.net/specs/connect/1.0/issuer';
const MAX_RESOURCE_CHARACTERS = 2048;

/**
 * WebFinger (RFC 7033). Clients find the issuer here, with the same answer for every resource. Other servers find the federated accounts
 * of people who agreed to be found by their whole mail address; all other addresses are answered as those of no account.
 */
@Controller('.well-known')
export class WebFingerController {
  constructor(
    private readonly trusted: TrustedIssuer,
    private readonly people: PeopleByMail,
    private readonly limits: CallLimits,
  ) {}

  @Get('webfinger')
  @Describe(
    'WebFinger: the OpenID Connect issuer, and the federated cloud ids of people who agreed to be found.',
    {
      answers: {
        200: 'The links, as JSON',
        400: 'No resource is named',
        404: 'There are no links',
        429: 'Too many calls from this address',
      },
    },
  )
  async find(
    @Req() request: FastifyRequest,
    @Query('resource') resource: unknown,
    @Query('rel') rel: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { issuer } = this.trusted;
    if (!issuer && !(await this.people.areNamed())) return notThere(reply);
    if (typeof resource !== 'string' || resource === '' || resource.length > MAX_RESOURCE_CHARACTERS)
      return void reply.code(400).send({ error: 'resource' });
    try {
      await this.limits.call(request.ip);
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
      return void reply
        .code(429)
        .header('retry-after', String(error.retryAfterSeconds))
        .send({ error: 'limited' });
    }
    const ofIssuer = issuer ? [{ rel: ISSUER_RELATION, href: issuer.name }] : [];
    const person = await this.people.describe(resource);
    if (!issuer && !person) return notThere(reply);
    const links = [...ofIssuer, ...(person?.links ?? [])].filter((link) => isWanted(link.rel, rel));
    const aliases = person?.aliases?.length ? { aliases: person.aliases } : {};
    answerPublicly(reply, 'application/jrd+json', { subject: resource, ...aliases, links });
  }
}

/** @param asked relations of the request; undefined for all. Source: RFC 7033, 4.3 */
const isWanted = (rel: string, asked: unknown): boolean =>
  asked === undefined || [asked].flat().includes(rel);
