// Replies of the service as bodies of the identity routes.
#pragma once

#include "api/account.h"
#include "api/alert.h"
#include "wire/http.h"

namespace braidlog::identity {

// {"user_id","username"} with the cookie.
HttpResponse logged_in(const api::LoggedIn& logged_in, bool is_secure);
// 204, and the cookie is taken away.
HttpResponse logged_out(bool is_secure);
// {"user_id","username","role"}
HttpResponse me_body(const api::Me& me);
// {"alerts":[…]}
HttpResponse alerts_body(const api::AlertList& alerts);

}  // namespace braidlog::identity
