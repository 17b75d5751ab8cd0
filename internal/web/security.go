package web

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
)

// policy allows only scripts and styles that this program serves as files, so that a malicious header or level in a
// CSV cannot become one.
const policy = "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; " +
	"frame-ancestors 'none'"

// headers sets the common headers of all answers. By default browsers and proxies store nothing; the hashed static
// files set their own policy.
func headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		// The page that opened this one keeps no hold of it. A page that the user or this program opened has no such
		// opener, and without this header it need not start a second process: a third of the time of a first visit.
		if from := c.Request().Header.Get("Sec-Fetch-Site"); from != "none" && from != "same-origin" {
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		return next(c)
	}
}

// admitted reserves memory for what a request allocates, until it is answered.
func (s *Server) admitted(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx, end := cost.WithScope(c.Request().Context(), s.memory.Requests)
		defer end()
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// hosts refuses requests for names that are not this program's: a foreign page whose name was made to resolve here
// (DNS rebinding) still sends its own name. A trusted proxy decides which names lead to it, and then there is a
// password.
func (s *Server) hosts(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		name := hostName(c.Request().Host)
		if !s.ownHost(name) && !(name != "" && s.cfg.TrustedProxies.sent(c.Request())) {
			return usererr.New(usererr.Forbidden, "This program does not answer for the host %q. Open it as http://%s.", name,
				s.cfg.Listen)
		}
		return next(c)
	}
}

// ownHost accepts the names of this machine and the host that the program listens on. Beyond loopback it accepts
// every IP address, since an address cannot be rebound.
func (s *Server) ownHost(name string) bool {
	own := s.host()
	if loopbackName(name) || name != "" && strings.EqualFold(name, own) {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil && !loopbackName(own)
}

// origins refuses requests with changes from other sites. Programs that send neither Origin nor Sec-Fetch-Site are
// accepted.
func origins(next echo.HandlerFunc) echo.HandlerFunc {
	guard := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		if guard.Check(c.Request()) != nil {
			return usererr.New(usererr.Forbidden, "This request comes from another site and would change data here.")
		}
		return next(c)
	}
}

// hostName is a Host header without port and brackets; "" if the port is not a number.
func hostName(host string) string {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return ""
		}
		host = name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// loopbackName reports whether a host name always means this machine.
func loopbackName(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}
