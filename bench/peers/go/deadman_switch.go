package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type switchResource struct{ client *client }

type switchModel struct {
	ID       types.String `tfsdk:"id"`
	TeamID   types.String `tfsdk:"team_id"`
	Name     types.String `tfsdk:"name"`
	Matcher  types.String `tfsdk:"matcher"`
	Timeout  types.String `tfsdk:"timeout"`
	Severity types.String `tfsdk:"severity"`
}

func newSwitchResource() resource.Resource { return &switchResource{} }

func (*switchResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deadman_switch"
}

func (*switchResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaces := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{
		Description: "An alert for a heartbeat that stops.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, Description: "Id of the dead man's switch.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"team_id": schema.StringAttribute{
				Required: true, Description: "Id of its team.", PlanModifiers: replaces,
			},
			"name": schema.StringAttribute{
				Required: true, Description: "Name, unique in the team.", PlanModifiers: replaces,
			},
			"matcher": schema.StringAttribute{
				Required: true, Description: "Labels of the heartbeat.", PlanModifiers: replaces,
			},
			"timeout": schema.StringAttribute{
				Required: true, Description: "How long it may be silent.", PlanModifiers: replaces,
			},
			"severity": schema.StringAttribute{
				Optional: true, Computed: true, Description: "Severity of the alert.",
				Default: stringdefault.StaticString("critical"), PlanModifiers: replaces,
			},
		},
	}
}

func (r *switchResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if configured, ok := req.ProviderData.(*client); ok {
		r.client = configured
	}
}

func (r *switchResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan switchModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.client.create(ctx, plan.TeamID.ValueString(), deadmanSwitch{
		Name: plan.Name.ValueString(), Matcher: plan.Matcher.ValueString(),
		Timeout: plan.Timeout.ValueString(), Severity: plan.Severity.ValueString(),
	})
	if err != nil {
		resp.Diagnostics.AddError("The dead man's switch was not created", err.Error())
		return
	}
	plan.ID = types.StringValue(strconv.FormatInt(made.ID, 10))
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *switchResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state switchModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := r.client.find(ctx, state.TeamID.ValueString(), state.ID.ValueString())
	if errors.Is(err, errNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.AddError("The dead man's switch was not read", err.Error())
		return
	}
	state.Name = types.StringValue(found.Name)
	state.Matcher = types.StringValue(found.Matcher)
	state.Timeout = types.StringValue(found.Timeout)
	state.Severity = types.StringValue(found.Severity)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update has nothing to do: every change of a switch replaces it.
func (r *switchResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan switchModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *switchResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state switchModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	err := r.client.remove(ctx, state.TeamID.ValueString(), state.ID.ValueString())
	if err != nil && !errors.Is(err, errNotFound) {
		resp.Diagnostics.AddError("The dead man's switch was not deleted", err.Error())
	}
}

func (r *switchResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	team, id, ok := strings.Cut(req.ID, "/")
	if !ok {
		resp.Diagnostics.AddError("This is no import id", "TEAM/ID is.")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("team_id"), team)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
}
