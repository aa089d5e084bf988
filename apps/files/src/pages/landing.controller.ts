import { Controller, Get } from '@nestjs/common';
import { PlainReply } from './plain-reply';

/** Addresses that pages of the web app will have; public links are not served yet. */
@Controller()
export class LandingController {
  @Get(['/', 's/*', 'index.php/s/*'])
  nothingHere(): PlainReply {
    return new PlainReply(404, 'There is no page here.');
  }
}
